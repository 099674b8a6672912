package bulkhead.interop;

import static bulkhead.interop.Step.check;
import static org.eclipse.milo.opcua.stack.core.types.builtin.unsigned.Unsigned.uint;

import java.util.List;
import org.eclipse.milo.opcua.sdk.client.subscriptions.MonitoredItemServiceOperationResult;
import org.eclipse.milo.opcua.stack.core.types.builtin.StatusCode;
import org.eclipse.milo.opcua.stack.core.types.builtin.Variant;
import org.eclipse.milo.opcua.stack.core.types.enumerated.MonitoringMode;

/** Changes to monitored items that are there already. */
final class MonitoringSteps {

  private static final long ON_ITS_WAY_MS = 300;

  private final Config config;
  private final MainSession session;

  MonitoringSteps(Config config, MainSession session) {
    this.config = config;
    this.session = session;
  }

  String modifyItems() throws Exception {
    try (var subscription = new Subscription(session.client(), 100)) {
      var recorder = subscription.monitor(config.counters().get("10ms"), 1000, 1);
      Thread.sleep(1500);
      int before = recorder.count();
      var item = recorder.item();
      item.setSamplingInterval(50);
      item.setQueueSize(uint(10));
      checkGood("ModifyMonitoredItems", subscription.milo().modifyMonitoredItems());
      var sampling = item.getRevisedSamplingInterval().orElseThrow();
      var queue = item.getRevisedQueueSize().orElseThrow();
      check(sampling > 0 && sampling <= 100, "sampling interval revised to %s", sampling);
      check(queue.intValue() > 1, "queue revised to %s", queue);
      recorder.forget();
      Thread.sleep(1500);
      int after = recorder.count();
      check(before > 0 && after > 3 * before, "%d values, then %d", before, after);
      return "%d values in 1.5 s, then %d; %s ms, queue %s"
          .formatted(before, after, sampling, queue);
    }
  }

  String disableItems() throws Exception {
    try (var subscription = new Subscription(session.client(), 100)) {
      var recorder = subscription.monitor(config.counters().get("100ms"), 50, 10);
      var items = List.of(recorder.item());
      check(recorder.awaitAny(1000), "no value at first");
      checkGood("Disabled", subscription.milo().setMonitoringMode(MonitoringMode.Disabled, items));
      Thread.sleep(ON_ITS_WAY_MS);
      recorder.forget();
      check(!recorder.awaitAny(600), "a disabled item reports");
      checkGood(
          "Reporting", subscription.milo().setMonitoringMode(MonitoringMode.Reporting, items));
      check(recorder.awaitAny(1000), "nothing when enabled again");
      return "";
    }
  }

  String setTriggering() throws Exception {
    var nodeId = config.triggering().triggering();
    var before = session.readGood(nodeId);
    try (var subscription = new Subscription(session.client(), 100)) {
      var triggering = subscription.monitor(nodeId, 50, 10);
      var triggered =
          subscription.monitor(
              config.triggering().triggered(), 50, 10, MonitoringMode.Sampling, null);
      check(triggering.awaitAny(1000), "no first value of the triggering item");
      var links = List.of(triggered.item().getMonitoredItemId().orElseThrow());
      var response =
          session
              .client()
              .setTriggering(
                  subscription.id(),
                  triggering.item().getMonitoredItemId().orElseThrow(),
                  links,
                  List.of());
      for (StatusCode added : response.getAddResults()) {
        check(added.isGood(), "SetTriggering: %s", Step.nameOf(added));
      }
      check(!triggered.awaitAny(500), "the triggered item reports on its own");
      triggering.forget();
      session.writeGood(nodeId, new Variant(((Integer) before.value()) ^ 1));
      check(triggering.awaitAny(1000), "the triggering item does not report");
      check(triggered.awaitAny(1000), "the triggered item does not report");
      return "";
    } finally {
      session.writeGood(nodeId, before);
    }
  }

  private static void checkGood(String what, List<MonitoredItemServiceOperationResult> results)
      throws Step.Failed {
    check(!results.isEmpty(), "%s: no result", what);
    for (var result : results) {
      var status = result.operationResult().orElse(result.serviceResult());
      check(result.isGood(), "%s: %s", what, Step.nameOf(status));
    }
  }
}

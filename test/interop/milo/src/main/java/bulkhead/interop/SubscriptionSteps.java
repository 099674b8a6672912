package bulkhead.interop;

import static bulkhead.interop.Step.check;
import static org.eclipse.milo.opcua.stack.core.types.builtin.unsigned.Unsigned.uint;

import org.eclipse.milo.opcua.stack.core.types.builtin.Variant;
import org.eclipse.milo.opcua.stack.core.types.enumerated.DataChangeTrigger;
import org.eclipse.milo.opcua.stack.core.types.enumerated.DeadbandType;
import org.eclipse.milo.opcua.stack.core.types.enumerated.MonitoringMode;
import org.eclipse.milo.opcua.stack.core.types.structured.DataChangeFilter;

/** Many items, deadbands, and subscriptions of different rates. */
final class SubscriptionSteps {

  private static final double TOLERANCE = 1e-6;
  private static final int LEAST_VALUES = 30;

  private final Config config;
  private final MainSession session;

  SubscriptionSteps(Config config, MainSession session) {
    this.config = config;
    this.session = session;
  }

  String subscribe100() throws Exception {
    try (var subscription = new Subscription(session.client(), 100)) {
      var recorders = subscription.monitorAll(config.bench().nodeIds(), 50, 20);
      Thread.sleep(5000);
      int total = 0;
      for (int i = 0; i < recorders.size(); i++) {
        var numbers = recorders.get(i).numbers();
        var name = MainSession.show(config.bench().nodeIds().get(i));
        check(numbers.length >= LEAST_VALUES, "only %d values of %s", numbers.length, name);
        for (int k = 1; k < numbers.length; k++) {
          var isNext = Math.abs(numbers[k] - numbers[k - 1] - 1) < TOLERANCE;
          check(isNext, "%s: %s after %s", name, numbers[k], numbers[k - 1]);
        }
        total += numbers.length;
      }
      return "%d values, none lost".formatted(total);
    }
  }

  String deadband() throws Exception {
    deadband(config.deadband().absolute(), DeadbandType.Absolute);
    deadband(config.deadband().percent(), DeadbandType.Percent);
    return "absolute and percent";
  }

  private void deadband(Config.Deadband deadband, DeadbandType type) throws Exception {
    var before = session.readGood(deadband.nodeId());
    var filter =
        new DataChangeFilter(
            DataChangeTrigger.StatusValue, uint(type.getValue()), deadband.deadband());
    session.writeGood(deadband.nodeId(), new Variant(deadband.base()));
    try (var subscription = new Subscription(session.client(), 100)) {
      var recorder =
          subscription.monitor(deadband.nodeId(), 50, 10, MonitoringMode.Reporting, filter);
      check(
          recorder.awaitNumber(number -> number == deadband.base(), 1000),
          "%s: no first value",
          type);
      recorder.forget();
      session.writeGood(deadband.nodeId(), new Variant(deadband.inside()));
      check(!recorder.awaitAny(500), "%s: %s is reported", type, deadband.inside());
      session.writeGood(deadband.nodeId(), new Variant(deadband.outside()));
      check(
          recorder.awaitNumber(number -> number == deadband.outside(), 1000),
          "%s: %s is not reported",
          type,
          deadband.outside());
    } finally {
      session.writeGood(deadband.nodeId(), before);
    }
  }

  String twoSubscriptions() throws Exception {
    var counter = config.counters().get("100ms");
    try (var fast = new Subscription(session.client(), 100);
        var slow = new Subscription(session.client(), 500)) {
      var often = fast.monitor(counter, 100, 1);
      var seldom = slow.monitor(counter, 100, 1);
      Thread.sleep(3000);
      int many = often.count();
      int few = seldom.count();
      check(few > 2 && many > 2 * few, "%d values at 100 ms, %d at 500 ms", many, few);
      return "%d values at 100 ms, %d at 500 ms".formatted(many, few);
    }
  }
}

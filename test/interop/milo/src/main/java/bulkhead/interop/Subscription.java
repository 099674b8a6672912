package bulkhead.interop;

import static org.eclipse.milo.opcua.stack.core.types.builtin.unsigned.Unsigned.uint;

import java.util.List;
import org.eclipse.milo.opcua.sdk.client.OpcUaClient;
import org.eclipse.milo.opcua.sdk.client.subscriptions.OpcUaMonitoredItem;
import org.eclipse.milo.opcua.sdk.client.subscriptions.OpcUaSubscription;
import org.eclipse.milo.opcua.stack.core.UaException;
import org.eclipse.milo.opcua.stack.core.types.builtin.NodeId;
import org.eclipse.milo.opcua.stack.core.types.builtin.unsigned.UInteger;
import org.eclipse.milo.opcua.stack.core.types.enumerated.MonitoringMode;
import org.eclipse.milo.opcua.stack.core.types.structured.MonitoringFilter;

/** A subscription that is there on the server until it is closed. */
final class Subscription implements AutoCloseable {

  private final OpcUaSubscription subscription;

  Subscription(OpcUaClient client, double publishingMs) throws UaException {
    subscription = new OpcUaSubscription(client, publishingMs);
    subscription.create();
  }

  OpcUaSubscription milo() {
    return subscription;
  }

  UInteger id() {
    return subscription.getSubscriptionId().orElseThrow();
  }

  Recorder monitor(NodeId nodeId, double samplingMs, int queueSize) throws UaException {
    return monitor(nodeId, samplingMs, queueSize, MonitoringMode.Reporting, null);
  }

  Recorder monitor(
      NodeId nodeId, double samplingMs, int queueSize, MonitoringMode mode, MonitoringFilter filter)
      throws UaException {
    var recorder = recorderOf(nodeId, samplingMs, queueSize, mode, filter);
    subscription.synchronizeMonitoredItems();
    return recorder;
  }

  /** Items that are made together. */
  List<Recorder> monitorAll(List<NodeId> nodeIds, double samplingMs, int queueSize)
      throws UaException {
    var recorders =
        nodeIds.stream()
            .map(id -> recorderOf(id, samplingMs, queueSize, MonitoringMode.Reporting, null))
            .toList();
    subscription.synchronizeMonitoredItems();
    return recorders;
  }

  private Recorder recorderOf(
      NodeId nodeId,
      double samplingMs,
      int queueSize,
      MonitoringMode mode,
      MonitoringFilter filter) {
    var item = OpcUaMonitoredItem.newDataItem(nodeId, mode);
    item.setSamplingInterval(samplingMs);
    item.setQueueSize(uint(queueSize));
    item.setFilter(filter);
    var recorder = new Recorder(item);
    subscription.addMonitoredItem(item);
    return recorder;
  }

  @Override
  public void close() throws UaException {
    subscription.delete();
  }
}

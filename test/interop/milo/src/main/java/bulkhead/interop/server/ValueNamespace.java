package bulkhead.interop.server;

import java.util.List;
import org.eclipse.milo.opcua.sdk.core.AccessLevel;
import org.eclipse.milo.opcua.sdk.core.Reference;
import org.eclipse.milo.opcua.sdk.server.ManagedNamespaceWithLifecycle;
import org.eclipse.milo.opcua.sdk.server.OpcUaServer;
import org.eclipse.milo.opcua.sdk.server.items.DataItem;
import org.eclipse.milo.opcua.sdk.server.items.MonitoredItem;
import org.eclipse.milo.opcua.sdk.server.nodes.UaVariableNode;
import org.eclipse.milo.opcua.sdk.server.util.SubscriptionModel;
import org.eclipse.milo.opcua.stack.core.NodeIds;
import org.eclipse.milo.opcua.stack.core.types.builtin.DataValue;
import org.eclipse.milo.opcua.stack.core.types.builtin.LocalizedText;
import org.eclipse.milo.opcua.stack.core.types.builtin.NodeId;
import org.eclipse.milo.opcua.stack.core.types.builtin.Variant;

/**
 * One writable Double below Objects, 0 at the start.
 */
final class ValueNamespace extends ManagedNamespaceWithLifecycle {

  private final SubscriptionModel sampling;

  ValueNamespace(OpcUaServer server) {
    super(server, "urn:bulkhead:interop:own-client");
    sampling = new SubscriptionModel(server, this);
    getLifecycleManager().addLifecycle(sampling);
    getLifecycleManager().addStartupTask(this::addValue);
  }

  NodeId value() {
    return newNodeId("Value");
  }

  private void addValue() {
    UaVariableNode.build(
        getNodeContext(),
        builder ->
            builder
                .setNodeId(value())
                .setBrowseName(newQualifiedName("Value"))
                .setDisplayName(LocalizedText.english("Value"))
                .setTypeDefinition(NodeIds.BaseDataVariableType)
                .setDataType(NodeIds.Double)
                .setAccessLevel(AccessLevel.READ_WRITE)
                .setUserAccessLevel(AccessLevel.READ_WRITE)
                .setMinimumSamplingInterval(10.0)
                .setValue(new DataValue(Variant.ofDouble(0)))
                .addReference(
                    new Reference(
                        value(),
                        NodeIds.Organizes,
                        NodeIds.ObjectsFolder.expanded(),
                        Reference.Direction.INVERSE))
                .buildAndAdd());
  }

  @Override
  public void onDataItemsCreated(List<DataItem> items) {
    sampling.onDataItemsCreated(items);
  }

  @Override
  public void onDataItemsModified(List<DataItem> items) {
    sampling.onDataItemsModified(items);
  }

  @Override
  public void onDataItemsDeleted(List<DataItem> items) {
    sampling.onDataItemsDeleted(items);
  }

  @Override
  public void onMonitoringModeChanged(List<MonitoredItem> items) {
    sampling.onMonitoringModeChanged(items);
  }
}

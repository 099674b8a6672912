package bulkhead.interop;

import java.util.List;
import org.eclipse.milo.opcua.sdk.client.OpcUaClient;
import org.eclipse.milo.opcua.stack.core.AttributeId;
import org.eclipse.milo.opcua.stack.core.types.builtin.DataValue;
import org.eclipse.milo.opcua.stack.core.types.builtin.NodeId;
import org.eclipse.milo.opcua.stack.core.types.builtin.QualifiedName;
import org.eclipse.milo.opcua.stack.core.types.builtin.StatusCode;
import org.eclipse.milo.opcua.stack.core.types.builtin.Variant;
import org.eclipse.milo.opcua.stack.core.types.enumerated.TimestampsToReturn;
import org.eclipse.milo.opcua.stack.core.types.structured.ReadValueId;
import org.eclipse.milo.opcua.stack.core.types.structured.WriteValue;

/** The session that most steps share; opened by the first of them. */
final class MainSession {

  private final Clients clients;
  private OpcUaClient client;

  MainSession(Clients clients) {
    this.clients = clients;
  }

  synchronized OpcUaClient client() throws Exception {
    if (client == null) client = clients.connect(clients.main());
    return client;
  }

  DataValue read(NodeId nodeId) throws Exception {
    return read(nodeId, null);
  }

  /**
   * @param range null for the whole value.
   */
  DataValue read(NodeId nodeId, String range) throws Exception {
    return read(List.of(valueOf(nodeId, range))).get(0);
  }

  List<DataValue> read(List<ReadValueId> wanted) throws Exception {
    return List.of(client().read(0, TimestampsToReturn.Both, wanted).getResults());
  }

  /**
   * @throws Step.Failed when the value is not Good.
   */
  Variant readGood(NodeId nodeId) throws Exception {
    var read = read(nodeId);
    Step.check(
        read.statusCode().isGood(), "read %s: %s", show(nodeId), Step.nameOf(read.statusCode()));
    return read.value();
  }

  StatusCode write(NodeId nodeId, String range, Variant value) throws Exception {
    var write = new WriteValue(nodeId, AttributeId.Value.uid(), range, DataValue.valueOnly(value));
    return client().write(List.of(write)).getResults()[0];
  }

  /**
   * @throws Step.Failed when the server does not take it.
   */
  void writeGood(NodeId nodeId, Variant value) throws Exception {
    var status = write(nodeId, null, value);
    Step.check(status.isGood(), "write %s: %s", show(nodeId), Step.nameOf(status));
  }

  static ReadValueId valueOf(NodeId nodeId, String range) {
    return new ReadValueId(nodeId, AttributeId.Value.uid(), range, QualifiedName.NULL_VALUE);
  }

  static String show(NodeId nodeId) {
    return nodeId.toParseableString();
  }
}

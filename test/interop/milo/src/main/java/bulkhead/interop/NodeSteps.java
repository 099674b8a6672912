package bulkhead.interop;

import static bulkhead.interop.Step.check;
import static org.eclipse.milo.opcua.stack.core.types.builtin.unsigned.Unsigned.uint;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.eclipse.milo.opcua.sdk.client.OpcUaClient;
import org.eclipse.milo.opcua.stack.core.AttributeId;
import org.eclipse.milo.opcua.stack.core.NodeIds;
import org.eclipse.milo.opcua.stack.core.types.builtin.ByteString;
import org.eclipse.milo.opcua.stack.core.types.builtin.DateTime;
import org.eclipse.milo.opcua.stack.core.types.builtin.NodeId;
import org.eclipse.milo.opcua.stack.core.types.builtin.QualifiedName;
import org.eclipse.milo.opcua.stack.core.types.enumerated.BrowseDirection;
import org.eclipse.milo.opcua.stack.core.types.structured.BrowseDescription;
import org.eclipse.milo.opcua.stack.core.types.structured.BrowseResult;
import org.eclipse.milo.opcua.stack.core.types.structured.ReadValueId;
import org.eclipse.milo.opcua.stack.core.types.structured.ViewDescription;

/** Browse, and the attributes of every NodeClass. */
final class NodeSteps {

  private static final ViewDescription NO_VIEW =
      new ViewDescription(NodeId.NULL_VALUE, DateTime.NULL_VALUE, uint(0));
  private static final int MAX_NODES_PER_BROWSE = 100;
  private static final int MAX_READS_PER_REQUEST = 1000;
  private static final int NODE_CLASS = 2;
  private static final int VALUE = 13;
  private static final Set<Integer> ROLE_PERMISSIONS = Set.of(24, 25);

  private final Config config;
  private final MainSession session;

  NodeSteps(Config config, MainSession session) {
    this.config = config;
    this.session = session;
  }

  String browseAll() throws Exception {
    var client = session.client();
    int nodesPerRequest = Math.min(maxContinuationPoints(), MAX_NODES_PER_BROWSE);
    Set<NodeId> seen = new LinkedHashSet<>(List.of(config.browse().startNodeId()));
    Deque<NodeId> toBrowse = new ArrayDeque<>(seen);
    int continued = 0;
    while (!toBrowse.isEmpty()) {
      List<NodeId> nodes = new ArrayList<>();
      while (!toBrowse.isEmpty() && nodes.size() < nodesPerRequest) nodes.add(toBrowse.remove());
      var results = browse(client, nodes);
      while (!results.isEmpty()) {
        List<ByteString> continuationPoints = new ArrayList<>();
        for (var result : results) {
          check(result.getStatusCode().isGood(), "Browse: %s", Step.nameOf(result.getStatusCode()));
          collect(client, result, seen, toBrowse);
          var continuationPoint = result.getContinuationPoint();
          if (!continuationPoint.isNullOrEmpty()) continuationPoints.add(continuationPoint);
        }
        if (continuationPoints.isEmpty()) break;
        continued += continuationPoints.size();
        results = List.of(client.browseNext(false, continuationPoints).getResults());
      }
    }
    int expected = config.browse().nodeCount();
    check(seen.size() == expected, "%d nodes instead of %d", seen.size(), expected);
    return "%d nodes, %d continuation points".formatted(seen.size(), continued);
  }

  private int maxContinuationPoints() throws Exception {
    var max =
        session.readGood(NodeIds.Server_ServerCapabilities_MaxBrowseContinuationPoints).value();
    int count = ((Number) max).intValue();
    return count == 0 ? MAX_NODES_PER_BROWSE : count;
  }

  private List<BrowseResult> browse(OpcUaClient client, List<NodeId> nodes) throws Exception {
    var descriptions =
        nodes.stream()
            .map(
                node ->
                    new BrowseDescription(
                        node,
                        BrowseDirection.Forward,
                        NodeIds.References,
                        true,
                        uint(0),
                        uint(0x3f)))
            .toList();
    var max = uint(config.browse().maxReferencesPerNode());
    return List.of(client.browse(NO_VIEW, max, descriptions).getResults());
  }

  private void collect(
      OpcUaClient client, BrowseResult result, Set<NodeId> seen, Deque<NodeId> toBrowse)
      throws Exception {
    var references = result.getReferences();
    if (references == null) return;
    int max = config.browse().maxReferencesPerNode();
    check(references.length <= max, "%d references instead of at most %d", references.length, max);
    for (var reference : references) {
      var target = reference.getNodeId().toNodeIdOrThrow(client.getNamespaceTable());
      if (seen.add(target)) toBrowse.add(target);
    }
  }

  String readAttributes() throws Exception {
    var nodes = config.attributeNodes();
    var classes = readNodeClasses(nodes);
    List<ReadValueId> wanted = new ArrayList<>();
    for (var node : nodes) {
      for (var attribute : AttributeId.values()) wanted.add(attributeOf(node, attribute.id()));
    }
    Map<String, Integer> wrong = new TreeMap<>();
    for (int from = 0; from < wanted.size(); from += MAX_READS_PER_REQUEST) {
      var part = wanted.subList(from, Math.min(from + MAX_READS_PER_REQUEST, wanted.size()));
      var values = session.read(part);
      for (int i = 0; i < part.size(); i++) {
        var id = part.get(i).getAttributeId().intValue();
        var attributes = classes.get(part.get(i).getNodeId());
        var status = Step.nameOf(values.get(i).statusCode());
        if (!isAllowed(attributes, id, status)) {
          wrong.merge(
              "%s of NodeClass %d, e.g. %s: %s"
                  .formatted(
                      AttributeId.from(id).orElseThrow(),
                      attributes.nodeClass(),
                      MainSession.show(part.get(i).getNodeId()),
                      status),
              1,
              Integer::sum);
        }
      }
    }
    check(wrong.isEmpty(), "%d kinds wrong: %s", wrong.size(), wrong);
    return "%d attributes of %d nodes".formatted(wanted.size(), nodes.size());
  }

  private Map<NodeId, Config.Attributes> readNodeClasses(List<NodeId> nodes) throws Exception {
    Map<Integer, Config.Attributes> byClass = new HashMap<>();
    for (var attributes : config.attributes().values())
      byClass.put(attributes.nodeClass(), attributes);
    var values = session.read(nodes.stream().map(node -> attributeOf(node, NODE_CLASS)).toList());
    Map<NodeId, Config.Attributes> classes = new HashMap<>();
    for (int i = 0; i < nodes.size(); i++) {
      var nodeClass = values.get(i).value().value();
      var attributes = byClass.get(nodeClass);
      check(attributes != null, "NodeClass %s of %s", nodeClass, MainSession.show(nodes.get(i)));
      classes.put(nodes.get(i), attributes);
    }
    return classes;
  }

  private static boolean isAllowed(Config.Attributes attributes, int id, String status) {
    var isInvalid = status.equals("BadAttributeIdInvalid");
    if (attributes.mandatory().contains(id))
      return id == VALUE ? !isInvalid : status.equals("Good");
    if (!attributes.optional().contains(id)) return isInvalid;
    if (status.equals("Good") || isInvalid) return true;
    return ROLE_PERMISSIONS.contains(id)
        && (status.equals("BadUserAccessDenied") || status.equals("BadNotReadable"));
  }

  private static ReadValueId attributeOf(NodeId node, int id) {
    return new ReadValueId(node, uint(id), null, QualifiedName.NULL_VALUE);
  }
}

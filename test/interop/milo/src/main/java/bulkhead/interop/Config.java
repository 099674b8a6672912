package bulkhead.interop;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonDeserializer;
import com.google.gson.JsonElement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.eclipse.milo.opcua.stack.core.types.builtin.NodeId;

/** config.json; README.md says what each key means. An absent key is null. */
record Config(
    String url,
    Path serverCertificateFile,
    Identity client,
    Identity untrusted,
    User user,
    String wrongPassword,
    List<Endpoint> endpoints,
    Endpoint main,
    Proxy proxy,
    Expect expect,
    Browse browse,
    Map<String, Attributes> attributes,
    List<NodeId> attributeNodes,
    List<KnownValue> values,
    Map<String, Pair> scalars,
    Map<String, Pair> arrays,
    Map<String, Pair> matrices,
    List<Method> methods,
    List<RangeRead> indexRanges,
    List<RangeWrite> indexRangeWrites,
    List<DataTypeInfo> dataTypes,
    List<StructureInfo> structures,
    Bench bench,
    Deadbands deadband,
    Map<String, NodeId> counters,
    Triggering triggering) {

  record Identity(String applicationUri, Path certificateFile, Path privateKeyDerFile) {}

  record User(String name, String password) {}

  record Endpoint(String policy, String policyUri, String mode) {
    @Override
    public String toString() {
      return policy + ":" + mode;
    }
  }

  record Proxy(String url, String control) {}

  record Expect(List<String> wrongPassword, List<String> untrustedCertificate) {}

  record Browse(NodeId startNodeId, int maxReferencesPerNode, int nodeCount) {}

  record Attributes(int nodeClass, List<Integer> mandatory, List<Integer> optional) {}

  record KnownValue(NodeId nodeId, JsonElement value) {}

  record Pair(NodeId writable, NodeId readOnly) {}

  record Method(
      String name,
      NodeId objectId,
      NodeId methodId,
      List<Input> inputs,
      List<Output> outputs,
      String status) {}

  /** A value, or the node to read it from. */
  record Input(String type, JsonElement value, NodeId read) {}

  /** A value, or the input that it equals. */
  record Output(JsonElement value, Integer sameAs) {}

  record RangeRead(
      NodeId nodeId, String range, JsonElement value, int[] dimensions, String status) {}

  record RangeWrite(
      NodeId nodeId,
      String range,
      String type,
      JsonElement write,
      JsonElement after,
      String status) {}

  record DataTypeInfo(NodeId nodeId, String name, String kind, List<String> fields) {}

  record StructureInfo(NodeId nodeId, NodeId dataType, JsonElement value) {}

  record Bench(List<NodeId> nodeIds, int tickMs) {}

  record Deadbands(Deadband absolute, Deadband percent) {}

  record Deadband(NodeId nodeId, double deadband, double base, double inside, double outside) {}

  record Triggering(NodeId triggering, NodeId triggered) {}

  static Config load(Path file) throws IOException {
    Gson gson =
        new GsonBuilder()
            .registerTypeAdapter(
                NodeId.class,
                (JsonDeserializer<NodeId>)
                    (json, type, context) -> NodeId.parse(json.getAsString()))
            .registerTypeAdapter(
                Path.class,
                (JsonDeserializer<Path>) (json, type, context) -> Path.of(json.getAsString()))
            .create();
    return gson.fromJson(Files.readString(file), Config.class);
  }
}

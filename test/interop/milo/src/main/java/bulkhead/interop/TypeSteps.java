package bulkhead.interop;

import static bulkhead.interop.Step.check;
import static org.eclipse.milo.opcua.stack.core.types.builtin.unsigned.Unsigned.uint;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.eclipse.milo.opcua.stack.core.AttributeId;
import org.eclipse.milo.opcua.stack.core.encoding.EncodingContext;
import org.eclipse.milo.opcua.stack.core.types.UaStructuredType;
import org.eclipse.milo.opcua.stack.core.types.builtin.ExtensionObject;
import org.eclipse.milo.opcua.stack.core.types.builtin.QualifiedName;
import org.eclipse.milo.opcua.stack.core.types.builtin.Variant;
import org.eclipse.milo.opcua.stack.core.types.structured.EnumDefinition;
import org.eclipse.milo.opcua.stack.core.types.structured.EnumField;
import org.eclipse.milo.opcua.stack.core.types.structured.ReadValueId;
import org.eclipse.milo.opcua.stack.core.types.structured.StructureDefinition;
import org.eclipse.milo.opcua.stack.core.types.structured.StructureField;

/** The server's own DataTypes. */
final class TypeSteps {

  private final Config config;
  private final MainSession session;

  TypeSteps(Config config, MainSession session) {
    this.config = config;
    this.session = session;
  }

  String dataTypeDefinitions() throws Exception {
    List<String> wrong = new ArrayList<>();
    for (var dataType : config.dataTypes()) {
      try {
        checkDefinition(dataType);
      } catch (Exception e) {
        wrong.add("%s: %s".formatted(dataType.name(), Step.describe(e)));
      }
    }
    check(wrong.isEmpty(), "%s", String.join("; ", wrong));
    return config.dataTypes().size() + " definitions";
  }

  private void checkDefinition(Config.DataTypeInfo dataType) throws Exception {
    var id =
        new ReadValueId(
            dataType.nodeId(),
            uint(AttributeId.DataTypeDefinition.id()),
            null,
            QualifiedName.NULL_VALUE);
    var read = session.read(List.of(id)).get(0);
    check(read.statusCode().isGood(), "%s", Step.nameOf(read.statusCode()));
    var definition =
        ((ExtensionObject) read.value().value())
            .decode(session.client().getStaticEncodingContext());
    String kind;
    List<String> fields;
    if (definition instanceof StructureDefinition structure) {
      kind = structure.getStructureType().name();
      fields = Arrays.stream(structure.getFields()).map(StructureField::getName).toList();
    } else {
      kind = "Enum";
      fields =
          Arrays.stream(((EnumDefinition) definition).getFields()).map(EnumField::getName).toList();
    }
    check(kind.equals(dataType.kind()), "%s instead of %s", kind, dataType.kind());
    check(fields.equals(dataType.fields()), "%s instead of %s", fields, dataType.fields());
  }

  String structures() throws Exception {
    var context = session.client().getDynamicEncodingContext();
    List<String> wrong = new ArrayList<>();
    for (var structure : config.structures()) {
      try {
        readAndWriteBack(structure, context);
      } catch (Exception e) {
        wrong.add("%s: %s".formatted(MainSession.show(structure.nodeId()), Step.describe(e)));
      }
    }
    check(wrong.isEmpty(), "%s", String.join("; ", wrong));
    return config.structures().size() + " values";
  }

  private void readAndWriteBack(Config.StructureInfo structure, EncodingContext context)
      throws Exception {
    var read = session.readGood(structure.nodeId());
    var decoded = decode(read.value(), context);
    var difference = JsonValues.difference(structure.value(), decoded);
    check(difference.isEmpty(), "read %s", difference);
    session.writeGood(structure.nodeId(), new Variant(encode(decoded, context)));
    var again = decode(session.readGood(structure.nodeId()).value(), context);
    session.writeGood(structure.nodeId(), read);
    difference = JsonValues.difference(structure.value(), again);
    check(difference.isEmpty(), "written back %s", difference);
  }

  private static Object decode(Object value, EncodingContext context) {
    if (value instanceof ExtensionObject object) return object.decode(context);
    if (!(value instanceof ExtensionObject[] objects)) return value;
    return Arrays.stream(objects)
        .map(object -> object.decode(context))
        .toArray(UaStructuredType[]::new);
  }

  private static Object encode(Object value, EncodingContext context) {
    if (value instanceof UaStructuredType structure)
      return ExtensionObject.encode(context, structure);
    if (value instanceof UaStructuredType[] structures)
      return ExtensionObject.encodeArray(context, structures);
    return value;
  }
}

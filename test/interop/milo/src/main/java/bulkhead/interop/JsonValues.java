package bulkhead.interop;

import static org.eclipse.milo.opcua.stack.core.types.builtin.unsigned.Unsigned.ubyte;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.lang.reflect.Array;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.Collections;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import org.eclipse.milo.opcua.sdk.core.types.DynamicStructType;
import org.eclipse.milo.opcua.sdk.core.types.DynamicUnionType;
import org.eclipse.milo.opcua.stack.core.types.UaEnumeratedType;
import org.eclipse.milo.opcua.stack.core.types.builtin.ByteString;
import org.eclipse.milo.opcua.stack.core.types.builtin.DateTime;
import org.eclipse.milo.opcua.stack.core.types.builtin.LocalizedText;
import org.eclipse.milo.opcua.stack.core.types.builtin.Matrix;
import org.eclipse.milo.opcua.stack.core.types.builtin.NodeId;
import org.eclipse.milo.opcua.stack.core.types.builtin.OptionSetUInteger;
import org.eclipse.milo.opcua.stack.core.types.builtin.QualifiedName;
import org.eclipse.milo.opcua.stack.core.types.builtin.StatusCode;
import org.eclipse.milo.opcua.stack.core.types.builtin.Variant;

/** The values of config.json, compared with Milo's and turned into them. */
final class JsonValues {

  private static final long TICKS_PER_MS = 10_000;

  /** DateTimes from here on have no value of their own on the wire. OPC 10000-6 §5.2.2.5. */
  private static final DateTime LARGEST = new DateTime(Instant.parse("9999-12-31T23:59:59Z"));

  private JsonValues() {}

  static boolean matches(JsonElement expected, Object actual) {
    return difference(expected, actual).isEmpty();
  }

  /** Says where and how the value differs from the expected one; empty where it does not. */
  static String difference(JsonElement expected, Object actual) {
    return difference("value", expected, actual);
  }

  private static String difference(String path, JsonElement expected, Object actual) {
    if (actual instanceof Matrix matrix) return difference(path, expected, matrix.getElements());
    if (actual instanceof DynamicStructType structure) {
      return differentField(path, expected, structure.getMembers());
    }
    if (actual instanceof DynamicUnionType union) {
      var value = union.getValue();
      return differentField(
          path,
          expected,
          value.isEmpty()
              ? Map.of()
              : Collections.singletonMap(value.get().fieldName(), value.get().fieldValue()));
    }
    if (actual != null && actual.getClass().isArray())
      return differentElement(path, expected, actual);
    return isSame(expected, actual)
        ? ""
        : "%s is %s instead of %s".formatted(path, actual, expected);
  }

  private static String differentField(
      String path, JsonElement expected, Map<String, Object> fields) {
    if (!(expected instanceof JsonObject object)) {
      return "%s is a structure instead of %s".formatted(path, expected);
    }
    if (!object.keySet().equals(fields.keySet())) {
      return "%s has %s instead of %s".formatted(path, fields.keySet(), object.keySet());
    }
    return fields.entrySet().stream()
        .map(
            field ->
                difference(
                    path + "." + field.getKey(), object.get(field.getKey()), field.getValue()))
        .filter(difference -> !difference.isEmpty())
        .findFirst()
        .orElse("");
  }

  private static String differentElement(String path, JsonElement expected, Object actual) {
    int length = Array.getLength(actual);
    if (!(expected instanceof JsonArray array)) {
      return "%s is an array of %d instead of %s".formatted(path, length, expected);
    }
    if (array.size() != length)
      return "%s has %d elements instead of %d".formatted(path, length, array.size());
    for (int i = 0; i < length; i++) {
      var difference = difference("%s[%d]".formatted(path, i), array.get(i), Array.get(actual, i));
      if (!difference.isEmpty()) return difference;
    }
    return "";
  }

  private static boolean isSame(JsonElement expected, Object actual) {
    if (actual instanceof ByteString bytes) return isText(expected, hexOf(bytes));
    if (actual == null || expected.isJsonNull()) return actual == null && expected.isJsonNull();
    if (actual instanceof LocalizedText || actual instanceof QualifiedName) {
      return expected instanceof JsonObject object && isSameName(object, actual);
    }
    return expected instanceof JsonPrimitive primitive && isSameSimple(primitive, actual);
  }

  private static boolean isSameName(JsonObject expected, Object actual) {
    if (actual instanceof LocalizedText text) {
      return isText(expected.get("locale"), text.locale())
          && isText(expected.get("text"), text.text());
    }
    var name = (QualifiedName) actual;
    return expected.get("namespaceIndex").getAsInt() == name.namespaceIndex().intValue()
        && isText(expected.get("name"), name.name());
  }

  private static boolean isSameSimple(JsonPrimitive expected, Object actual) {
    if (actual instanceof Boolean bool)
      return expected.isBoolean() && expected.getAsBoolean() == bool;
    if (actual instanceof Float || actual instanceof Double) {
      // Takes NaN and Infinity too; JSON has no -0.
      double wanted = Double.parseDouble(expected.getAsString());
      return Double.compare(wanted + 0.0, ((Number) actual).doubleValue() + 0.0) == 0;
    }
    if (actual instanceof UaEnumeratedType enumerated)
      return isSameSimple(expected, enumerated.getValue());
    if (actual instanceof OptionSetUInteger<?> optionSet)
      return isSameSimple(expected, optionSet.getValue());
    if (actual instanceof StatusCode status) return isSameSimple(expected, status.value());
    if (actual instanceof Number number) {
      return new BigDecimal(expected.getAsString()).compareTo(new BigDecimal(number.toString()))
          == 0;
    }
    if (actual instanceof DateTime time)
      return isSameTime(Instant.parse(expected.getAsString()), time);
    if (actual instanceof NodeId id) return NodeId.parse(expected.getAsString()).equals(id);
    return expected.getAsString().equals(actual.toString());
  }

  private static boolean isText(JsonElement expected, String actual) {
    return Objects.equals(expected.isJsonNull() ? null : expected.getAsString(), actual);
  }

  /**
   * Compares ticks: Milo's Instants before 1970 are wrong by a second where they have a fraction.
   */
  private static boolean isSameTime(Instant expected, DateTime actual) {
    var wanted = new DateTime(expected);
    if (wanted.utcTime() <= 0) return actual.utcTime() <= 0;
    if (wanted.utcTime() >= LARGEST.utcTime()) return actual.utcTime() >= LARGEST.utcTime();
    return wanted.utcTime() / TICKS_PER_MS == actual.utcTime() / TICKS_PER_MS;
  }

  private static String hexOf(ByteString bytes) {
    return bytes.isNull() ? null : HexFormat.of().formatHex(bytes.bytes());
  }

  /**
   * @throws IllegalArgumentException for a type that the script has no value of.
   */
  static Variant variantOf(String type, JsonElement json) {
    if (!(json instanceof JsonArray array)) return new Variant(valueOf(type, json));
    var elements = Array.newInstance(classOf(type), array.size());
    for (int i = 0; i < array.size(); i++) Array.set(elements, i, valueOf(type, array.get(i)));
    return new Variant(elements);
  }

  private static Class<?> classOf(String type) {
    return switch (type) {
      case "Int32" -> Integer.class;
      case "Double" -> Double.class;
      case "String" -> String.class;
      default -> throw new IllegalArgumentException("array of " + type);
    };
  }

  private static Object valueOf(String type, JsonElement json) {
    if (json.isJsonNull()) return null;
    return switch (type) {
      case "Boolean" -> json.getAsBoolean();
      case "Byte" -> ubyte(json.getAsInt());
      case "Int32" -> json.getAsInt();
      case "Int64" -> Long.valueOf(json.getAsString());
      case "Double" -> json.getAsDouble();
      case "String" -> json.getAsString();
      case "LocalizedText" -> localizedText(json.getAsJsonObject());
      default -> throw new IllegalArgumentException(type);
    };
  }

  private static LocalizedText localizedText(JsonObject json) {
    return new LocalizedText(textOf(json.get("locale")), textOf(json.get("text")));
  }

  private static String textOf(JsonElement json) {
    return json.isJsonNull() ? null : json.getAsString();
  }
}

package bulkhead.interop;

import static bulkhead.interop.Step.check;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.eclipse.milo.opcua.stack.core.types.builtin.Matrix;
import org.eclipse.milo.opcua.stack.core.types.builtin.NodeId;
import org.eclipse.milo.opcua.stack.core.types.builtin.Variant;

/** Values of every type and shape, whole and in parts. */
final class ValueSteps {

  private final Config config;
  private final MainSession session;

  ValueSteps(Config config, MainSession session) {
    this.config = config;
    this.session = session;
  }

  String readValues() throws Exception {
    var known = config.values();
    var read =
        session.read(
            known.stream().map(value -> MainSession.valueOf(value.nodeId(), null)).toList());
    List<String> wrong = new ArrayList<>();
    for (int i = 0; i < known.size(); i++) {
      var expected = known.get(i);
      var status = read.get(i).statusCode();
      var difference =
          status.isGood()
              ? JsonValues.difference(expected.value(), read.get(i).value().value())
              : Step.nameOf(status);
      if (!difference.isEmpty()) wrong.add(MainSession.show(expected.nodeId()) + ": " + difference);
    }
    check(wrong.isEmpty(), "%s", String.join("; ", wrong));
    return known.size() + " values";
  }

  String writeAll(Map<String, Config.Pair> pairs) throws Exception {
    List<String> wrong = new ArrayList<>();
    for (var pair : pairs.entrySet()) {
      try {
        writeAndReadBack(pair.getValue());
      } catch (Exception e) {
        wrong.add(pair.getKey() + ": " + Step.describe(e));
      }
    }
    check(wrong.isEmpty(), "%s", String.join("; ", wrong));
    return pairs.size() + " types";
  }

  private void writeAndReadBack(Config.Pair pair) throws Exception {
    var before = session.readGood(pair.writable());
    var value = session.readGood(pair.readOnly());
    session.writeGood(pair.writable(), value);
    var after = session.readGood(pair.writable());
    session.writeGood(pair.writable(), before);
    check(after.equals(value), "%s instead of %s", after, value);
    check(session.readGood(pair.writable()).equals(before), "the first value is not there again");
  }

  String indexRanges() throws Exception {
    List<String> wrong = new ArrayList<>();
    for (var range : config.indexRanges())
      collect(wrong, range.nodeId(), range.range(), () -> readRange(range));
    for (var range : config.indexRangeWrites()) {
      collect(wrong, range.nodeId(), range.range(), () -> writeRange(range));
    }
    check(wrong.isEmpty(), "%s", String.join("; ", wrong));
    return "%d reads, %d writes"
        .formatted(config.indexRanges().size(), config.indexRangeWrites().size());
  }

  private interface Part {
    void run() throws Exception;
  }

  private static void collect(List<String> wrong, NodeId nodeId, String range, Part part) {
    try {
      part.run();
    } catch (Exception e) {
      wrong.add("%s[%s]: %s".formatted(MainSession.show(nodeId), range, Step.describe(e)));
    }
  }

  private void readRange(Config.RangeRead range) throws Exception {
    var read = session.read(range.nodeId(), range.range());
    checkStatus(range.status(), Step.nameOf(read.statusCode()));
    if (range.status() != null) return;
    var value = read.value().value();
    var difference = JsonValues.difference(range.value(), value);
    check(difference.isEmpty(), "read %s", difference);
    if (range.dimensions() != null) {
      check(
          value instanceof Matrix matrix
              && Arrays.equals(matrix.getDimensions(), range.dimensions()),
          "read %s instead of a matrix of %s",
          value,
          Arrays.toString(range.dimensions()));
    }
  }

  private void writeRange(Config.RangeWrite range) throws Exception {
    Variant before = session.readGood(range.nodeId());
    var status =
        session.write(
            range.nodeId(), range.range(), JsonValues.variantOf(range.type(), range.write()));
    var after = session.readGood(range.nodeId());
    session.writeGood(range.nodeId(), before);
    checkStatus(range.status(), Step.nameOf(status));
    if (range.status() == null) {
      var difference = JsonValues.difference(range.after(), after.value());
      check(difference.isEmpty(), "written %s", difference);
    } else {
      check(after.equals(before), "a refused write changed the value to %s", after);
    }
  }

  private static void checkStatus(String expected, String actual) throws Step.Failed {
    var wanted = expected == null ? "Good" : expected;
    check(wanted.equals(actual), "%s instead of %s", actual, wanted);
  }
}

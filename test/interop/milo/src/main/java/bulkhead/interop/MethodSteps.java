package bulkhead.interop;

import static bulkhead.interop.Step.check;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.eclipse.milo.opcua.stack.core.types.builtin.Variant;
import org.eclipse.milo.opcua.stack.core.types.structured.CallMethodRequest;

/** Calls of methods, good and bad ones. */
final class MethodSteps {

  private static final Variant[] NONE = {};

  private final Config config;
  private final MainSession session;

  MethodSteps(Config config, MainSession session) {
    this.config = config;
    this.session = session;
  }

  String callMethods() throws Exception {
    List<String> wrong = new ArrayList<>();
    for (var method : config.methods()) {
      try {
        call(method);
      } catch (Exception e) {
        wrong.add("%s: %s".formatted(method.name(), Step.describe(e)));
      }
    }
    check(wrong.isEmpty(), "%s", String.join("; ", wrong));
    return config.methods().size() + " calls";
  }

  private void call(Config.Method method) throws Exception {
    List<Variant> inputs = new ArrayList<>();
    for (var input : method.inputs()) {
      inputs.add(
          input.read() == null
              ? JsonValues.variantOf(input.type(), input.value())
              : session.readGood(input.read()));
    }
    var request = new CallMethodRequest(method.objectId(), method.methodId(), inputs.toArray(NONE));
    var result = session.client().call(List.of(request)).getResults()[0];
    var expected = Objects.requireNonNullElse(method.status(), "Good");
    var status = Step.nameOf(result.getStatusCode());
    check(status.equals(expected), "%s instead of %s", status, expected);
    if (method.outputs() == null) return;
    var outputs = Objects.requireNonNullElse(result.getOutputArguments(), NONE);
    check(
        outputs.length == method.outputs().size(),
        "%d outputs instead of %d",
        outputs.length,
        method.outputs().size());
    for (int i = 0; i < outputs.length; i++) {
      var output = method.outputs().get(i);
      var isEqual =
          output.sameAs() == null
              ? JsonValues.matches(output.value(), outputs[i].value())
              : outputs[i].equals(inputs.get(output.sameAs()));
      check(isEqual, "output %d is %s", i, outputs[i]);
    }
  }
}

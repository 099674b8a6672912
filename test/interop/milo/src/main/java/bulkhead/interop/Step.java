package bulkhead.interop;

import java.util.Optional;
import org.eclipse.milo.opcua.stack.core.StatusCodes;
import org.eclipse.milo.opcua.stack.core.UaException;
import org.eclipse.milo.opcua.stack.core.types.builtin.StatusCode;

/** One step of the script, by its id in steps.json. */
record Step(String id, Body body) {

  interface Body {
    /**
     * @return a short detail for the report.
     * @throws Exception when the step fails; {@link Cannot} when the client has no way to do it.
     */
    String run() throws Exception;
  }

  /** A check that does not hold. */
  static final class Failed extends Exception {
    private static final long serialVersionUID = 1L;

    Failed(String message) {
      super(message);
    }
  }

  /** Something that the client's API has no way to do. */
  static final class Cannot extends Exception {
    private static final long serialVersionUID = 1L;

    Cannot(String message) {
      super(message);
    }
  }

  static void check(boolean holds, String message, Object... arguments) throws Failed {
    if (!holds) throw new Failed(message.formatted(arguments));
  }

  /** A StatusCode by its name in the specification, such as BadTypeMismatch. */
  static String nameOf(StatusCode status) {
    return StatusCodes.lookup(status.value())
        .map(lookup -> lookup[0].replace("_", ""))
        .orElse("0x%08X".formatted(status.value()));
  }

  /** What went wrong, on one line. */
  static String describe(Throwable problem) {
    if (problem instanceof Failed || problem instanceof Cannot) return problem.getMessage();
    Optional<StatusCode> status = UaException.extractStatusCode(problem);
    var name = status.map(Step::nameOf).orElse(problem.getClass().getSimpleName());
    return "%s: %s".formatted(name, problem.getMessage());
  }
}

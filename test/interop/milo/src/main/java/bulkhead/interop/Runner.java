package bulkhead.interop;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Runs steps one after another, none longer than its time, and reports each at once. */
final class Runner {

  private static final long LIMIT_SECONDS = 15;
  private static final int MAX_DETAIL = 1000;

  private record Report(String step, String result, String detail) {}

  private final Gson gson = new GsonBuilder().disableHtmlEscaping().create();
  private final PrintStream out;

  Runner(PrintStream out) {
    this.out = out;
  }

  void run(Step step) {
    var report = reportOf(step);
    out.println(gson.toJson(report));
    out.flush();
  }

  private Report reportOf(Step step) {
    var task = new FutureTask<>(step.body()::run);
    var thread = new Thread(task, step.id());
    thread.setDaemon(true);
    thread.start();
    try {
      return report(step, "ok", task.get(LIMIT_SECONDS, TimeUnit.SECONDS));
    } catch (TimeoutException e) {
      List<String> where = new ArrayList<>();
      for (var frame : thread.getStackTrace()) where.add(frame.toString());
      System.err.println(step.id() + " took too long at " + String.join("\n  at ", where));
      thread.interrupt();
      return report(step, "fails", "not done within %d s".formatted(LIMIT_SECONDS));
    } catch (ExecutionException e) {
      var problem = e.getCause();
      if (problem instanceof Step.Cannot) return report(step, "cannot", problem.getMessage());
      if (!(problem instanceof Step.Failed)) problem.printStackTrace();
      return report(step, "fails", Step.describe(problem));
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Report report(Step step, String result, String detail) {
    var line = String.valueOf(detail).replaceAll("\\s+", " ");
    return new Report(step.id(), result, line.substring(0, Math.min(line.length(), MAX_DETAIL)));
  }
}

package bulkhead.interop;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.eclipse.milo.opcua.sdk.client.subscriptions.OpcUaMonitoredItem;
import org.eclipse.milo.opcua.stack.core.types.builtin.DataValue;

/** A monitored item with what it has reported. */
final class Recorder {

  private final OpcUaMonitoredItem item;
  private final List<DataValue> values = new ArrayList<>();

  Recorder(OpcUaMonitoredItem item) {
    this.item = item;
    item.setDataValueListener((from, value) -> add(value));
  }

  OpcUaMonitoredItem item() {
    return item;
  }

  private synchronized void add(DataValue value) {
    values.add(value);
    notifyAll();
  }

  synchronized int count() {
    return values.size();
  }

  synchronized void forget() {
    values.clear();
  }

  /** The numbers reported so far. */
  synchronized double[] numbers() {
    return values.stream().mapToDouble(Recorder::numberOf).toArray();
  }

  /** Waits until a number that fits has been reported; tells whether it has. */
  synchronized boolean awaitNumber(Predicate<Double> fits, long timeoutMs)
      throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
    while (values.stream().noneMatch(value -> fits.test(numberOf(value)))) {
      long left = end - System.nanoTime();
      if (left <= 0) return false;
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
    return true;
  }

  boolean awaitAny(long timeoutMs) throws InterruptedException {
    return awaitNumber(number -> true, timeoutMs);
  }

  private static double numberOf(DataValue value) {
    return value.value().value() instanceof Number number ? number.doubleValue() : Double.NaN;
  }
}

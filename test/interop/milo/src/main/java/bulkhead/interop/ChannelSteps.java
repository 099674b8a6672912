package bulkhead.interop;

import static bulkhead.interop.Step.check;
import static org.eclipse.milo.opcua.stack.core.types.builtin.unsigned.Unsigned.uint;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.milo.opcua.sdk.client.OpcUaClient;
import org.eclipse.milo.opcua.sdk.client.subscriptions.OpcUaSubscription;
import org.eclipse.milo.opcua.stack.core.NodeIds;
import org.eclipse.milo.opcua.stack.core.UaException;
import org.eclipse.milo.opcua.stack.core.types.builtin.DataValue;
import org.eclipse.milo.opcua.stack.core.types.builtin.StatusCode;
import org.eclipse.milo.opcua.stack.core.types.enumerated.TimestampsToReturn;

/** Channels: their tokens, their loss and their end. */
final class ChannelSteps {

  private static final int CHANNEL_LIFETIME_MS = 4000;
  private static final long RENEWAL_LIMIT_MS = 12_000;
  private static final long RECOVERY_LIMIT_MS = 10_000;

  private final Config config;
  private final Clients clients;
  private final MainSession session;

  ChannelSteps(Config config, Clients clients, MainSession session) {
    this.config = config;
    this.clients = clients;
    this.session = session;
  }

  String tokenRenewal() throws Exception {
    var main = clients.main();
    var tokens = new AtomicInteger();
    var options =
        new Clients.Options(
            main.endpoint(),
            main.user(),
            main.application(),
            false,
            client -> client.setSecurityKeysListener(keys -> tokens.incrementAndGet()),
            transport -> transport.setChannelLifetime(uint(CHANNEL_LIFETIME_MS)));
    var client = clients.connect(options);
    try {
      long start = System.nanoTime();
      int reads = 0;
      int readsWithNewToken = 0;
      while (readsWithNewToken < 10) {
        check(millisSince(start) < RENEWAL_LIMIT_MS, "no renewal within 12 s");
        readTime(client);
        reads++;
        if (tokens.get() > 1) readsWithNewToken++;
        Thread.sleep(50);
      }
      return "%d reads, renewed after less than %d ms".formatted(reads, millisSince(start));
    } finally {
      client.disconnect();
    }
  }

  String reconnect() throws Exception {
    var main = clients.main();
    var options =
        new Clients.Options(
            main.endpoint(),
            main.user(),
            main.application(),
            true,
            main.client(),
            main.transport());
    var client = clients.connect(options);
    try (var subscription = new Subscription(client, 100)) {
      var listener = new Losses();
      subscription.milo().setSubscriptionListener(listener);
      var recorder = subscription.monitor(config.counters().get("100ms"), 50, 100);
      check(recorder.awaitAny(1000), "no notification before the cut");
      Thread.sleep(500);
      var before = client.getSession().getSessionId();
      var last = recorder.numbers()[recorder.count() - 1];
      cut();
      long start = System.nanoTime();
      awaitGoodRead(client, start);
      long readAfterMs = millisSince(start);
      var goesOn =
          recorder.awaitNumber(number -> number > last + 20, RECOVERY_LIMIT_MS - readAfterMs);
      check(goesOn, "no notifications after the cut; %s", listener);
      var isSame = client.getSession().getSessionId().equals(before);
      var how = isSame ? "same session reactivated" : "new session, " + listener.transfer();
      return "%s; read good after %d ms; %s"
          .formatted(how, readAfterMs, lostOf(recorder.numbers()));
    } finally {
      client.disconnect();
    }
  }

  /** What the client says about a subscription after a cut. */
  private static final class Losses implements OpcUaSubscription.SubscriptionListener {

    private final AtomicBoolean isTransferFailed = new AtomicBoolean();

    String transfer() {
      return isTransferFailed.get()
          ? "transfer of the subscription failed"
          : "subscription transferred";
    }

    @Override
    public void onTransferFailed(OpcUaSubscription subscription, StatusCode status) {
      isTransferFailed.set(true);
    }

    @Override
    public String toString() {
      return transfer();
    }
  }

  private void cut() throws Exception {
    var request = HttpRequest.newBuilder(URI.create(config.proxy().control() + "/cut")).build();
    HttpClient.newHttpClient().send(request, BodyHandlers.discarding());
  }

  private static void awaitGoodRead(OpcUaClient client, long start) throws Exception {
    while (true) {
      try {
        readTime(client);
        return;
      } catch (UaException | Step.Failed e) {
        check(
            millisSince(start) < RECOVERY_LIMIT_MS,
            "no good read after 10 s: %s",
            Step.describe(e));
        Thread.sleep(100);
      }
    }
  }

  private static String lostOf(double[] numbers) {
    int lost = 0;
    int twice = 0;
    for (int i = 1; i < numbers.length; i++) {
      lost += Math.max(0, (int) (numbers[i] - numbers[i - 1]) - 1);
      if (numbers[i] <= numbers[i - 1]) twice++;
    }
    return "%d values lost, %d twice".formatted(lost, twice);
  }

  String close() throws Exception {
    var client = session.client();
    client.disconnect();
    DataValue read;
    try {
      read = client.readValue(0, TimestampsToReturn.Both, NodeIds.Server_ServerStatus_CurrentTime);
    } catch (UaException e) {
      return "then " + Step.nameOf(e.getStatusCode());
    }
    throw new Step.Failed("a read after it: " + Step.nameOf(read.statusCode()));
  }

  private static void readTime(OpcUaClient client) throws Exception {
    var read =
        client.readValue(0, TimestampsToReturn.Both, NodeIds.Server_ServerStatus_CurrentTime);
    check(read.statusCode().isGood(), "read: %s", Step.nameOf(read.statusCode()));
  }

  private static long millisSince(long start) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
  }
}

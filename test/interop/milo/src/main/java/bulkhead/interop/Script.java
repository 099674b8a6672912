package bulkhead.interop;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.eclipse.milo.opcua.sdk.client.identity.IdentityProvider;
import org.eclipse.milo.opcua.stack.core.security.SecurityPolicy;

/** The steps in the order of steps.json. */
final class Script {

  private static final Map<SecurityPolicy, List<String>> MODES =
      Map.of(SecurityPolicy.None, List.of("None"));
  private static final List<String> SECURE_MODES = List.of("Sign", "SignAndEncrypt");
  private static final List<SecurityPolicy> POLICIES =
      List.of(
          SecurityPolicy.None,
          SecurityPolicy.Basic256Sha256,
          SecurityPolicy.Aes128_Sha256_RsaOaep,
          SecurityPolicy.Aes256_Sha256_RsaPss);

  private final List<Step> steps = new ArrayList<>();

  Script(Config config) {
    var clients = new Clients(config);
    var session = new MainSession(clients);
    addConnecting(new ConnectSteps(config, clients), clients);

    var nodes = new NodeSteps(config, session);
    add("browse-all", nodes::browseAll);
    add("read-attributes", nodes::readAttributes);

    var values = new ValueSteps(config, session);
    add("read-values", values::readValues);
    add("write-scalars", () -> values.writeAll(config.scalars()));
    add("write-arrays", () -> values.writeAll(config.arrays()));
    add("write-matrices", () -> values.writeAll(config.matrices()));
    add("call-methods", new MethodSteps(config, session)::callMethods);
    add("index-ranges", values::indexRanges);

    var types = new TypeSteps(config, session);
    add("data-type-definitions", types::dataTypeDefinitions);
    add("structures", types::structures);

    var subscriptions = new SubscriptionSteps(config, session);
    add("subscribe-100", subscriptions::subscribe100);
    add("deadband", subscriptions::deadband);
    add("two-subscriptions", subscriptions::twoSubscriptions);

    var monitoring = new MonitoringSteps(config, session);
    add("modify-items", monitoring::modifyItems);
    add("disable-items", monitoring::disableItems);
    add("set-triggering", monitoring::setTriggering);
    add(
        "events",
        () -> {
          throw new Step.Cannot("the server has no events yet");
        });

    var channels = new ChannelSteps(config, clients, session);
    add("token-renewal", channels::tokenRenewal);
    add("reconnect", channels::reconnect);
    add("close", channels::close);
  }

  List<Step> steps() {
    return List.copyOf(steps);
  }

  private void addConnecting(ConnectSteps connect, Clients clients) {
    add("endpoints", connect::endpoints);
    for (var policy : POLICIES) {
      for (var mode : MODES.getOrDefault(policy, SECURE_MODES)) {
        var endpoint = new Config.Endpoint(policy.name(), policy.getUri(), mode);
        addConnect(connect, endpoint, "anonymous", Clients.anonymous());
        addConnect(connect, endpoint, "username", clients.operator());
      }
    }
    add("wrong-password", connect::wrongPassword);
    add("untrusted-certificate", connect::untrustedCertificate);
  }

  private void addConnect(
      ConnectSteps connect, Config.Endpoint endpoint, String userKind, IdentityProvider user) {
    add("connect:%s:%s".formatted(endpoint, userKind), () -> connect.connect(endpoint, user));
  }

  private void add(String id, Step.Body body) {
    steps.add(new Step(id, body));
  }
}

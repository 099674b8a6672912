package bulkhead.interop;

import static bulkhead.interop.Step.check;
import static java.util.stream.Collectors.toCollection;

import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import org.eclipse.milo.opcua.sdk.client.OpcUaClient;
import org.eclipse.milo.opcua.sdk.client.identity.IdentityProvider;
import org.eclipse.milo.opcua.sdk.client.identity.UsernameProvider;
import org.eclipse.milo.opcua.stack.core.NodeIds;
import org.eclipse.milo.opcua.stack.core.UaException;
import org.eclipse.milo.opcua.stack.core.types.builtin.DateTime;
import org.eclipse.milo.opcua.stack.core.types.enumerated.TimestampsToReturn;
import org.eclipse.milo.opcua.stack.core.types.structured.EndpointDescription;

/** Discovery, and sessions under every policy, mode and user. */
final class ConnectSteps {

  private static final long MAX_CLOCK_DIFFERENCE_MS = 60_000;

  private final Config config;
  private final Clients clients;

  ConnectSteps(Config config, Clients clients) {
    this.config = config;
    this.clients = clients;
  }

  String endpoints() throws Exception {
    var offered = clients.endpoints();
    var expected =
        config.endpoints().stream().map(Object::toString).collect(toCollection(TreeSet::new));
    var found = offered.stream().map(ConnectSteps::nameOf).collect(toCollection(TreeSet::new));
    check(found.equals(expected), "offered %s instead of %s", found, expected);
    var certificate = Files.readAllBytes(config.serverCertificateFile());
    for (var endpoint : offered) {
      check(
          Arrays.equals(endpoint.getServerCertificate().bytes(), certificate),
          "another certificate at %s",
          nameOf(endpoint));
    }
    return offered.size() + " endpoints";
  }

  String connect(Config.Endpoint endpoint, IdentityProvider user) throws Exception {
    var client = clients.connect(clients.of(endpoint, user));
    try {
      var read =
          client.readValue(0, TimestampsToReturn.Both, NodeIds.Server_ServerStatus_CurrentTime);
      check(read.statusCode().isGood(), "CurrentTime: %s", Step.nameOf(read.statusCode()));
      var difference = ((DateTime) read.value().value()).getJavaTime() - System.currentTimeMillis();
      check(Math.abs(difference) < MAX_CLOCK_DIFFERENCE_MS, "CurrentTime is %d ms off", difference);
    } finally {
      client.disconnect();
    }
    return "";
  }

  String wrongPassword() throws Exception {
    var user = new UsernameProvider(config.user().name(), config.wrongPassword());
    return refused(clients.of(config.main(), user), config.expect().wrongPassword());
  }

  String untrustedCertificate() throws Exception {
    var main = clients.main();
    var options =
        new Clients.Options(
            main.endpoint(),
            main.user(),
            config.untrusted(),
            false,
            main.client(),
            main.transport());
    return refused(options, config.expect().untrustedCertificate());
  }

  private String refused(Clients.Options options, List<String> expected) throws Exception {
    OpcUaClient client;
    try {
      client = clients.connect(options);
    } catch (UaException e) {
      var status = Step.nameOf(UaException.extractStatusCode(e).orElse(e.getStatusCode()));
      check(expected.contains(status), "%s instead of one of %s", status, expected);
      return status;
    }
    client.disconnect();
    throw new Step.Failed("not refused");
  }

  private static String nameOf(EndpointDescription endpoint) {
    var uri = endpoint.getSecurityPolicyUri();
    return uri.substring(uri.indexOf('#') + 1) + ":" + endpoint.getSecurityMode().name();
  }
}

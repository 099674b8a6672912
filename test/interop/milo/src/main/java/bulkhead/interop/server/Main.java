package bulkhead.interop.server;

import java.nio.file.Path;
import java.util.Set;
import org.eclipse.milo.opcua.sdk.server.EndpointConfig;
import org.eclipse.milo.opcua.sdk.server.OpcUaServer;
import org.eclipse.milo.opcua.sdk.server.OpcUaServerConfig;
import org.eclipse.milo.opcua.sdk.server.identity.AnonymousIdentityValidator;
import org.eclipse.milo.opcua.stack.core.security.SecurityPolicy;
import org.eclipse.milo.opcua.stack.core.transport.TransportProfile;
import org.eclipse.milo.opcua.stack.core.types.builtin.LocalizedText;
import org.eclipse.milo.opcua.stack.core.types.enumerated.MessageSecurityMode;
import org.eclipse.milo.opcua.stack.transport.server.tcp.OpcTcpServerTransport;
import org.eclipse.milo.opcua.stack.transport.server.tcp.OpcTcpServerTransportConfig;

/**
 * A server for the client under test. Arguments: port, certificate (DER), key (PEM), ApplicationUri.
 */
public final class Main {

  private static final String HOST = "127.0.0.1";

  private Main() {}

  public static void main(String[] args) throws Exception {
    var port = Integer.parseInt(args[0]);
    var identity = ServerIdentity.load(Path.of(args[1]), Path.of(args[2]));
    var config =
        OpcUaServerConfig.builder()
            .setApplicationName(LocalizedText.english("Server for the client under test"))
            .setApplicationUri(args[3])
            .setProductUri("urn:bulkhead:interop")
            .setCertificateManager(identity.certificateManager())
            .setIdentityValidator(AnonymousIdentityValidator.INSTANCE)
            .setEndpoints(Set.of(endpoint(port, identity)))
            .build();
    var server = new OpcUaServer(config, Main::transport);
    var namespace = new ValueNamespace(server);
    namespace.startup();
    server.startup().get();
    System.out.printf("{\"event\":\"ready\",\"nodeId\":\"%s\"}%n", namespace.value().toParseableString());
    // Milo's own threads don't keep the process.
    Thread.currentThread().join();
  }

  private static EndpointConfig endpoint(int port, ServerIdentity identity) {
    return EndpointConfig.newBuilder()
        .setTransportProfile(TransportProfile.TCP_UASC_UABINARY)
        .setBindAddress(HOST)
        .setBindPort(port)
        .setHostname(HOST)
        .setCertificate(identity.certificate())
        .setSecurityPolicy(SecurityPolicy.Basic256Sha256)
        .setSecurityMode(MessageSecurityMode.SignAndEncrypt)
        .addTokenPolicies(OpcUaServerConfig.USER_TOKEN_POLICY_ANONYMOUS)
        .build();
  }

  private static OpcTcpServerTransport transport(TransportProfile profile) {
    return new OpcTcpServerTransport(OpcTcpServerTransportConfig.newBuilder().build());
  }
}

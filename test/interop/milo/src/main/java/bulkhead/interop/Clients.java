package bulkhead.interop;

import static org.eclipse.milo.opcua.stack.core.types.builtin.unsigned.Unsigned.uint;

import java.io.ByteArrayInputStream;
import java.net.URI;
import java.nio.file.Files;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.List;
import java.util.function.Consumer;
import org.eclipse.milo.opcua.sdk.client.DiscoveryClient;
import org.eclipse.milo.opcua.sdk.client.OpcUaClient;
import org.eclipse.milo.opcua.sdk.client.OpcUaClientConfigBuilder;
import org.eclipse.milo.opcua.sdk.client.identity.AnonymousProvider;
import org.eclipse.milo.opcua.sdk.client.identity.IdentityProvider;
import org.eclipse.milo.opcua.sdk.client.identity.UsernameProvider;
import org.eclipse.milo.opcua.stack.core.UaException;
import org.eclipse.milo.opcua.stack.core.types.builtin.LocalizedText;
import org.eclipse.milo.opcua.stack.core.types.builtin.unsigned.UInteger;
import org.eclipse.milo.opcua.stack.core.types.structured.EndpointDescription;
import org.eclipse.milo.opcua.stack.core.util.EndpointUtil;
import org.eclipse.milo.opcua.stack.transport.client.tcp.OpcTcpClientTransportConfigBuilder;

/**
 * Makes clients for the server's endpoints; each is connected, or closed again when that failed.
 */
final class Clients {

  private static final UInteger REQUEST_TIMEOUT_MS = uint(10_000);

  private final Config config;

  /** How one client differs from the others. */
  record Options(
      Config.Endpoint endpoint,
      IdentityProvider user,
      Config.Identity application,
      boolean throughProxy,
      Consumer<OpcUaClientConfigBuilder> client,
      Consumer<OpcTcpClientTransportConfigBuilder> transport) {}

  Clients(Config config) {
    this.config = config;
  }

  List<EndpointDescription> endpoints() throws Exception {
    return DiscoveryClient.getEndpoints(config.url()).get();
  }

  static IdentityProvider anonymous() {
    return new AnonymousProvider();
  }

  IdentityProvider operator() {
    return new UsernameProvider(config.user().name(), config.user().password());
  }

  /** Options of the main session. */
  Options main() {
    return of(config.main(), operator());
  }

  Options of(Config.Endpoint endpoint, IdentityProvider user) {
    return new Options(endpoint, user, config.client(), false, client -> {}, transport -> {});
  }

  OpcUaClient connect(Options options) throws Exception {
    var certificate = certificate(options.application());
    var keyPair = keyPair(options.application(), certificate);
    var client =
        OpcUaClient.create(
            config.url(),
            endpoints ->
                endpoints.stream()
                    .filter(offered -> isOf(offered, options.endpoint()))
                    .map(offered -> options.throughProxy() ? atProxy(offered) : offered)
                    .findFirst(),
            options.transport(),
            builder -> {
              builder
                  .setApplicationName(LocalizedText.english("Interoperability script"))
                  .setApplicationUri(options.application().applicationUri())
                  .setRequestTimeout(REQUEST_TIMEOUT_MS)
                  .setIdentityProvider(options.user())
                  .setKeyPair(keyPair)
                  .setCertificate(certificate)
                  .setCertificateChain(new X509Certificate[] {certificate})
                  .setSessionEndpointValidationEnabled(!options.throughProxy());
              options.client().accept(builder);
            });
    try {
      return client.connect();
    } catch (UaException e) {
      // A client whose first attempt failed goes on trying.
      client.disconnect();
      throw e;
    }
  }

  static boolean isOf(EndpointDescription offered, Config.Endpoint wanted) {
    return wanted.policyUri().equals(offered.getSecurityPolicyUri())
        && wanted.mode().equals(offered.getSecurityMode().name());
  }

  private EndpointDescription atProxy(EndpointDescription endpoint) {
    var proxy = URI.create(config.proxy().url());
    return EndpointUtil.updateUrl(endpoint, proxy.getHost(), proxy.getPort());
  }

  private static X509Certificate certificate(Config.Identity application) throws Exception {
    var der = new ByteArrayInputStream(Files.readAllBytes(application.certificateFile()));
    return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(der);
  }

  private static KeyPair keyPair(Config.Identity application, X509Certificate certificate)
      throws Exception {
    var der = Files.readAllBytes(application.privateKeyDerFile());
    var key = KeyFactory.getInstance("RSA").generatePrivate(new PKCS8EncodedKeySpec(der));
    return new KeyPair(certificate.getPublicKey(), key);
  }
}

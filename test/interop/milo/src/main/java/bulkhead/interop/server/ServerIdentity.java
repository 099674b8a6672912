package bulkhead.interop.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import org.eclipse.milo.opcua.stack.core.security.CertificateManager;
import org.eclipse.milo.opcua.stack.core.security.CertificateValidator.InsecureCertificateValidator;
import org.eclipse.milo.opcua.stack.core.security.DefaultApplicationGroup;
import org.eclipse.milo.opcua.stack.core.security.DefaultCertificateManager;
import org.eclipse.milo.opcua.stack.core.security.MemoryCertificateQuarantine;
import org.eclipse.milo.opcua.stack.core.security.MemoryCertificateStore;
import org.eclipse.milo.opcua.stack.core.security.MemoryTrustListManager;
import org.eclipse.milo.opcua.stack.core.security.RsaSha256CertificateFactory;

/**
 * The server's key and certificate; it takes every client's certificate.
 */
record ServerIdentity(X509Certificate certificate, KeyPair keyPair) {

  static ServerIdentity load(Path certificateFile, Path privateKeyPemFile)
      throws IOException, GeneralSecurityException {
    X509Certificate certificate;
    try (var der = Files.newInputStream(certificateFile)) {
      certificate =
          (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(der);
    }
    var pem = Files.readString(privateKeyPemFile);
    var pkcs8 = Base64.getMimeDecoder().decode(pem.replaceAll("-----[A-Z ]+-----", ""));
    var key = KeyFactory.getInstance("RSA").generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
    return new ServerIdentity(certificate, new KeyPair(certificate.getPublicKey(), key));
  }

  CertificateManager certificateManager() throws Exception {
    var group =
        DefaultApplicationGroup.createAndInitialize(
            new MemoryTrustListManager(),
            new MemoryCertificateStore(),
            new Given(),
            new InsecureCertificateValidator());
    return new DefaultCertificateManager(new MemoryCertificateQuarantine(), group);
  }

  /** "Creates" what is already there. */
  private final class Given extends RsaSha256CertificateFactory {

    @Override
    protected KeyPair createRsaSha256KeyPair() {
      return keyPair;
    }

    @Override
    protected X509Certificate[] createRsaSha256CertificateChain(KeyPair keyPair) {
      return new X509Certificate[] {certificate};
    }
  }
}

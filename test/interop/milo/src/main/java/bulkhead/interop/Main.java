package bulkhead.interop;

import java.nio.file.Path;
import java.security.Security;
import org.bouncycastle.jce.provider.BouncyCastleProvider;

/**
 * Plays the script against the server that config.json names, and prints one JSON line per step.
 */
public final class Main {

  private Main() {}

  public static void main(String[] args) throws Exception {
    // Aes256_Sha256_RsaPss needs its RSA-PSS.
    Security.addProvider(new BouncyCastleProvider());
    var config = Config.load(Path.of(args[args.length - 1]));
    new Script(config).steps().forEach(new Runner(System.out)::run);
    // Milo's shared threads are not daemons.
    System.exit(0);
  }
}

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MessageSecurityMode, OPCUACertificateManager, OPCUAClient, SecurityPolicy, UserTokenType } from 'node-opcua';

/** Clients for the endpoints of config.json. */
export class Clients {
  #folder = mkdtempSync(join(tmpdir(), 'interop-node-opcua-'));
  #manager;

  constructor(config) {
    this.config = config;
    this.#manager = new OPCUACertificateManager({
      rootFolder: join(this.#folder, 'pki'),
      automaticallyAcceptUnknownCertificate: true,
      disableFileWatchers: true,
    });
  }

  create({ policy, mode }, { identity = 'client', ...options } = {}) {
    const own = this.config[identity];
    return OPCUAClient.create({
      applicationName: 'Interop',
      applicationUri: own.applicationUri,
      clientCertificateManager: this.#manager,
      certificateFile: own.certificatePemFile,
      privateKeyFile: own.privateKeyFile,
      serverCertificate: readFileSync(this.config.serverCertificateFile),
      securityMode: MessageSecurityMode[mode],
      securityPolicy: SecurityPolicy[policy],
      endpointMustExist: false,
      connectionStrategy: { maxRetry: 0, initialDelay: 50, maxDelay: 500 },
      ...options,
    });
  }

  /** A Session, closed at the end. */
  async withSession(endpoint, user, run, options = {}, url = this.config.url) {
    const client = this.create(endpoint, options);
    await client.connect(url);
    try {
      const session = await client.createSession(identityOf(user));
      return await run(session, client);
    } finally {
      await client.disconnect();
    }
  }

  withMainSession(run, options, url) {
    return this.withSession(this.config.main, this.config.user, run, options, url);
  }

  async end() {
    await this.#manager.dispose();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

export function identityOf(user) {
  return user === undefined
    ? { type: UserTokenType.Anonymous }
    : { type: UserTokenType.UserName, userName: user.name, password: user.password };
}

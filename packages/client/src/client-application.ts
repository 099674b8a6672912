import { hostname } from 'node:os';
import type { Runtime } from '@bulkhead/contracts';
import type { ChannelIdentity } from '@bulkhead/secure-channel';
import {
  type Certificate,
  CertificateStore,
  CertificateValidator,
  findSecurityPolicy,
  parseCertificateChain,
  type ValidationRequest,
} from '@bulkhead/security';
import {
  ApplicationDescription,
  ApplicationType,
  type EndpointDescription,
  LocalizedText,
  StatusCodes,
  UaStatusError,
} from '@bulkhead/types';
import { createClientRuntime } from './client-runtime.ts';
import type { ChannelSecurity } from './connection/channel-security.ts';
import { SharedDiscovery } from './shared-discovery.ts';
import type { TlsTrust } from './transport/connect-socket.ts';

/** Who a client is; only the name has no default. */
export interface ClientApplicationOptions {
  readonly applicationName: string;
  /** Globally unique URI of this instance. Default `urn:<host name>:<applicationName>`. */
  readonly applicationUri?: string;
  readonly productUri?: string;
  readonly pki?: ClientPkiOptions;
  readonly runtime?: Runtime;
}

/** Where a client's certificates are; opened when the first secured channel needs them. */
export interface ClientPkiOptions {
  /** Folder with own, trusted, issuers and rejected certificates; made when it is first needed. Default `./pki-client`. */
  readonly folder?: string;
  /** Trust every server certificate: for laboratories only. Default false. */
  readonly autoAcceptUntrustedCertificates?: boolean;
  /** Whether a server's certificate has to name the host that it was reached under. Default true. */
  readonly checkHostName?: boolean;
}

/** Each session has one at a time at most, so that this is more than a process can have: a client doesn't refuse its own sessions. */
const MAX_WAITING_KEY_OPERATIONS = 100_000;

/** A client application: its name, its certificate, and which servers it trusts. Any number of sessions share it. */
export class ClientApplication implements AsyncDisposable, TlsTrust {
  readonly description: ApplicationDescription;
  readonly runtime: Runtime;
  /** For its sessions. */
  readonly discovery: SharedDiscovery = new SharedDiscovery();
  readonly #name: string;
  readonly #pki: Required<ClientPkiOptions>;
  #store: Promise<CertificateStore> | undefined;

  constructor(options: ClientApplicationOptions) {
    const applicationUri = options.applicationUri ?? `urn:${hostname()}:${encodeURIComponent(options.applicationName)}`;
    this.#name = options.applicationName;
    this.#pki = {
      folder: options.pki?.folder ?? './pki-client',
      autoAcceptUntrustedCertificates: options.pki?.autoAcceptUntrustedCertificates ?? false,
      checkHostName: options.pki?.checkHostName ?? true,
    };
    this.runtime = options.runtime ?? createClientRuntime();
    this.description = ApplicationDescription.create({
      applicationUri,
      productUri: options.productUri ?? applicationUri,
      applicationName: new LocalizedText(options.applicationName),
      applicationType: ApplicationType.Client,
    });
  }

  /** The certificate store, opened now if it wasn't. @throws UaStatusError (as a rejection) BadConfigurationError */
  certificateStore(): Promise<CertificateStore> {
    this.#store ??= CertificateStore.open({
      folder: this.#pki.folder,
      applicationUri: this.description.applicationUri ?? '',
      applicationName: this.#name,
      hostNames: [hostname()],
      privateKeyLimits: { maxWaiting: MAX_WAITING_KEY_OPERATIONS },
    }).catch((error: unknown) => {
      this.#store = undefined;
      throw error;
    });
    return this.#store;
  }

  /**
   * What it takes to open a channel to an endpoint: the own certificate, and the server's, once it is found to be trusted.
   * @param needsServerCertificate true when something is encrypted for the server on an unsecured channel.
   * @throws UaStatusError (as a rejection) BadCertificate… for the fault of the server's certificate, BadSecurityPolicyRejected.
   */
  async securityFor(endpoint: EndpointDescription, needsServerCertificate: boolean): Promise<ChannelSecurity> {
    const policy = findSecurityPolicy(endpoint.securityPolicyUri);
    if (policy === undefined) throw new UaStatusError(StatusCodes.BadSecurityPolicyRejected, 'a SecurityPolicy that is not known');
    const mode = endpoint.securityMode;
    if (!policy.isSecure && !needsServerCertificate) return { policy, mode };
    const serverCertificate = await this.#validate(endpoint);
    return policy.isSecure ? { policy, mode, serverCertificate, identity: await this.#identity() } : { policy, mode, serverCertificate };
  }

  /** Trusts the TLS certificates of servers like their application certificates, which they often are. */
  async checkTlsCertificate(certificateChain: Buffer, host: string): Promise<void> {
    await this.#validateChain(certificateChain, { hostNames: this.#pki.checkHostName ? [host] : undefined });
  }

  /** Settles when refused certificates are stored. Sessions aren't closed. */
  async close(): Promise<void> {
    await (await this.#store?.catch(() => undefined))?.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #identity(): Promise<ChannelIdentity> {
    const { certificate, certificateChain, privateKey } = await this.certificateStore();
    return { certificate, certificateChain, privateKey };
  }

  async #validate(endpoint: EndpointDescription): Promise<Certificate> {
    if (endpoint.serverCertificate === null) throw new UaStatusError(StatusCodes.BadCertificateInvalid, 'endpoint without a certificate');
    const host = hostOf(endpoint.endpointUrl);
    return this.#validateChain(endpoint.serverCertificate, {
      applicationUri: endpoint.server.applicationUri ?? '',
      hostNames: this.#pki.checkHostName && host !== undefined ? [host] : undefined,
      policy: findSecurityPolicy(endpoint.securityPolicyUri),
    });
  }

  async #validateChain(
    chain: Uint8Array,
    request: Pick<ValidationRequest, 'applicationUri' | 'hostNames' | 'policy'>,
  ): Promise<Certificate> {
    const { autoAcceptUntrustedCertificates } = this.#pki;
    const { trustList } = await this.certificateStore();
    const validator = new CertificateValidator(trustList, { autoAcceptUntrustedCertificates });
    const { certificate, isAutoAccepted } = await validator.validate(parseCertificateChain(chain), {
      role: 'application',
      applicationType: 'server',
      nowMs: Date.now(),
      ...request,
    });
    if (isAutoAccepted) this.runtime.log.log('warn', 'client.certificateAutoAccepted', { thumbprint: certificate.thumbprint });
    return certificate;
  }
}

function hostOf(endpointUrl: string | null): string | undefined {
  return endpointUrl !== null && URL.canParse(endpointUrl) ? new URL(endpointUrl).hostname : undefined;
}

import type { Runtime, SecureChannelContext } from '@bulkhead/contracts';
import { certificateRefusal, type SecureChannelEndpoints } from '@bulkhead/secure-channel';
import {
  type Certificate,
  CertificateCache,
  type CertificateStore,
  CertificateValidator,
  parseCertificateChain,
  SecurityPolicies,
  type SecurityPolicy,
} from '@bulkhead/security';
import type { DiscoverySource } from '@bulkhead/services';
import type { ServerCredentials, SessionEndpoints } from '@bulkhead/session';
import { HttpsChannel } from '@bulkhead/transport-https';
import {
  type ApplicationDescription,
  type CreateSessionRequest,
  type EndpointDescription,
  MessageSecurityMode,
  StatusCodes,
  UaStatusError,
} from '@bulkhead/types';
import { applicationDescription, endpointDescriptions } from './endpoint-descriptions.ts';
import type { ResolvedServerOptions } from './server-options.ts';

const WILDCARD_HOSTS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/** Answers for the server's endpoints: to channels that open, to Sessions that start and to clients that look around. */
export class ServerEndpoints implements SecureChannelEndpoints, SessionEndpoints, DiscoverySource {
  readonly certificateCache: CertificateCache = new CertificateCache();
  readonly #options: ResolvedServerOptions;
  readonly #store: CertificateStore;
  readonly #validator: CertificateValidator;
  readonly #runtime: Runtime;
  readonly #identity: ServerCredentials & { readonly certificate: Certificate };
  readonly #modes: ReadonlyMap<SecurityPolicy, readonly MessageSecurityMode[]>;
  #urls: readonly string[] = [];

  constructor(options: ResolvedServerOptions, store: CertificateStore, runtime: Runtime) {
    this.#options = options;
    this.#store = store;
    this.#runtime = runtime;
    this.#validator = new CertificateValidator(store.trustList, options.pki);
    this.#identity = { certificate: store.certificate, certificateChain: store.certificateChain, privateKey: store.privateKey };
    const { policies, modes } = options.security;
    const secureModes = modes.map((mode) => MessageSecurityMode[mode]);
    const offered = new Map<SecurityPolicy, readonly MessageSecurityMode[]>();
    for (const name of policies) offered.set(SecurityPolicies[name], secureModes);
    // A channel without security can always be opened: discovery needs it (OPC 10000-4 §5.5.1). Sessions are another matter.
    offered.set(SecurityPolicies.None, [MessageSecurityMode.None]);
    this.#modes = offered;
  }

  /** Base addresses, once the listeners know their ports. */
  set urls(urls: readonly string[]) {
    this.#urls = urls;
  }

  get urls(): readonly string[] {
    return this.#urls;
  }

  securityModes(policy: SecurityPolicy): readonly MessageSecurityMode[] {
    return this.#modes.get(policy) ?? [];
  }

  identity(policy: SecurityPolicy): (ServerCredentials & { readonly certificate: Certificate }) | undefined {
    return policy.isSecure ? this.#identity : undefined;
  }

  async validateClientCertificate(chain: readonly Certificate[], policy: SecurityPolicy): Promise<void> {
    const { clock, log } = this.#runtime;
    const nowMs = clock.utcNow().unixMs;
    const { certificate, isAutoAccepted } = await this.#validator.validate(chain, {
      role: 'application',
      applicationType: 'client',
      policy,
      nowMs,
    });
    if (isAutoAccepted) log.log('warn', 'certificate.autoAccepted', { thumbprint: certificate.thumbprint });
  }

  authenticateClient(
    { clientCertificate }: CreateSessionRequest,
    channel: SecureChannelContext,
    policy: SecurityPolicy,
  ): Promise<void> | undefined {
    return channel instanceof HttpsChannel && policy.isSecure ? this.#authenticate(clientCertificate, channel, policy) : undefined;
  }

  async #authenticate(certificate: Uint8Array | null, channel: HttpsChannel, policy: SecurityPolicy): Promise<void> {
    if (this.securityModes(policy).length === 0) {
      throw new UaStatusError(StatusCodes.BadSecurityPolicyRejected, 'no endpoint of this policy');
    }
    if (certificate === null) throw new UaStatusError(StatusCodes.BadCertificateInvalid, 'CreateSession without a certificate');
    const chain = Buffer.from(certificate);
    try {
      await this.validateClientCertificate(parseCertificateChain(chain, this.certificateCache), policy);
    } catch (error) {
      throw certificateRefusal(error);
    }
    channel.clientCertificate = chain;
  }

  /** Tells applications apart: the thumbprint of the first certificate of a chain. */
  thumbprintOf(chain: Buffer): string {
    return parseCertificateChain(chain, this.certificateCache)[0]?.thumbprint ?? '';
  }

  /** Those that the client could have chosen by the transport that it came by. OPC 10000-4 §5.7.2.2. */
  describe(channel: SecureChannelContext, endpointUrl: string | null): readonly EndpointDescription[] {
    return this.endpoints(channel, endpointUrl).filter(({ transportProfileUri }) => transportProfileUri === channel.transportProfileUri);
  }

  credentials(_channel: SecureChannelContext): ServerCredentials {
    return this.#identity;
  }

  application(_channel: SecureChannelContext, endpointUrl: string | null): ApplicationDescription {
    return applicationDescription(this.#sources(endpointUrl));
  }

  endpoints(_channel: SecureChannelContext, endpointUrl: string | null): readonly EndpointDescription[] {
    return endpointDescriptions(this.#sources(endpointUrl));
  }

  #sources(endpointUrl: string | null): Parameters<typeof endpointDescriptions>[0] {
    const reached = this.#reachedBy(endpointUrl);
    const endpointUrls = reached === undefined ? this.#urls : this.#urlsAt(reached);
    return { options: this.#options, certificateChain: this.#store.certificateChain, endpointUrls };
  }

  /**
   * The URL by which this client got here, when it is one that the server may name: behind a port mapping or on a wildcard
   * address only the client knows it.
   */
  #reachedBy(endpointUrl: string | null): URL | undefined {
    if (endpointUrl === null || !URL.canParse(endpointUrl)) return undefined;
    const url = new URL(endpointUrl);
    const { protocol, hostname } = url;
    if (hostname === '' || !this.#urls.some((own) => own.startsWith(`${protocol}//`))) return undefined;
    const isOwnName = this.#options.hostNames.some((name) => name.toLowerCase() === hostname.toLowerCase());
    return isOwnName || WILDCARD_HOSTS.has(this.#options.host) ? url : undefined;
  }

  /** One URL for each transport, at the name by which a client got here; by its own transport at its port too. */
  #urlsAt({ protocol, hostname, port }: URL): string[] {
    const byScheme = new Map<string, string>();
    for (const own of this.#urls) {
      const url = new URL(own);
      const at = url.protocol === protocol ? port : url.port;
      byScheme.set(url.protocol, `${url.protocol}//${hostname}${at === '' ? '' : `:${at}`}`);
    }
    return [...byScheme.values()];
  }
}

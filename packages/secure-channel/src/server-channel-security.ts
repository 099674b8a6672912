import {
  type Certificate,
  checkSecureChannelNonce,
  parseCertificateChain,
  SecurityPolicies,
  type SecurityPolicy,
} from '@bulkhead/security';
import { MessageSecurityMode, type OpenSecureChannelRequest, SecurityTokenRequestType, StatusCodes, UaStatusError } from '@bulkhead/types';
import type { AsymmetricPeers } from './asymmetric-chunk.ts';
import type { AsymmetricSecurityHeader } from './asymmetric-security-header.ts';
import { certificateRefusal } from './certificate-refusal.ts';
import { securityPolicyOf } from './open-secure-channel.ts';
import type { SecureChannelEndpoints } from './secure-channel-endpoints.ts';

/**
 * What secures a server's channel, settled when it is opened, and the checks of OpenSecureChannel requests against it.
 * OPC 10000-6 §6.7.4, §6.7.7; OPC 10000-4 §5.6.2.
 */
export class ServerChannelSecurity {
  /** None until the channel is open. */
  policy: SecurityPolicy = SecurityPolicies.None;
  /** Invalid until the channel is open. */
  mode: MessageSecurityMode = MessageSecurityMode.Invalid;
  peers: AsymmetricPeers | undefined = undefined;
  /** The client's certificate and issuers as sent (DER). */
  clientCertificate: Buffer | undefined = undefined;
  readonly #endpoints: SecureChannelEndpoints;
  readonly #protocolVersion: number;
  #lastClientNonce: Uint8Array | undefined = undefined;

  /** @param protocolVersion of the client's Hello. */
  constructor(endpoints: SecureChannelEndpoints, protocolVersion: number) {
    this.#endpoints = endpoints;
    this.#protocolVersion = protocolVersion;
  }

  /** @throws UaStatusError BadSecurityPolicyRejected. */
  checkPolicy(header: AsymmetricSecurityHeader, renewal: boolean): SecurityPolicy {
    const policy = securityPolicyOf(header.securityPolicyUri);
    const isOffered = renewal ? policy === this.policy : this.#endpoints.securityModes(policy).length > 0;
    if (!isOffered) throw new UaStatusError(StatusCodes.BadSecurityPolicyRejected, `${policy.name} not offered here`);
    return policy;
  }

  /**
   * Who sent it, and whether it is for us. Trust comes before any work with our key. OPC 10000-6 §6.7.7.
   * @throws UaStatusError (as a rejection) BadCertificateInvalid when it is for another certificate; what `certificateRefusal` gives.
   */
  async authenticate(header: AsymmetricSecurityHeader, policy: SecurityPolicy, renewal: boolean): Promise<AsymmetricPeers> {
    const { senderCertificate, receiverCertificateThumbprint } = header;
    const own = renewal ? this.peers?.own : this.#endpoints.identity(policy);
    if (own === undefined) throw new UaStatusError(StatusCodes.BadSecurityPolicyRejected, `no certificate for ${policy.name}`);
    if (!receiverCertificateThumbprint?.equals(own.certificate.thumbprintBytes)) {
      throw new UaStatusError(StatusCodes.BadCertificateInvalid, 'not encrypted for this certificate');
    }
    if (senderCertificate === undefined) throw new UaStatusError(StatusCodes.BadSecurityChecksFailed, 'no client certificate');
    const peer = await this.#validate(senderCertificate, policy);
    if (renewal && !this.peers?.peer.der.equals(peer.der)) {
      throw new UaStatusError(StatusCodes.BadSecurityChecksFailed, 'renewal with another client certificate');
    }
    return { own, peer };
  }

  /**
   * @throws UaStatusError BadProtocolVersionUnsupported, BadRequestTypeInvalid, BadSecurityModeRejected, BadNonceInvalid.
   */
  checkRequest(request: OpenSecureChannelRequest, policy: SecurityPolicy, renewal: boolean): void {
    if (request.clientProtocolVersion !== this.#protocolVersion) {
      throw new UaStatusError(
        StatusCodes.BadProtocolVersionUnsupported,
        `ProtocolVersion ${request.clientProtocolVersion}, another in Hello`,
      );
    }
    if (request.requestType !== (renewal ? SecurityTokenRequestType.Renew : SecurityTokenRequestType.Issue)) {
      throw new UaStatusError(StatusCodes.BadRequestTypeInvalid, `RequestType ${request.requestType}`);
    }
    const mode = request.securityMode;
    const isOffered = renewal ? mode === this.mode : this.#endpoints.securityModes(policy).includes(mode);
    if (!isOffered || (mode === MessageSecurityMode.None) === policy.isSecure || mode === MessageSecurityMode.Invalid) {
      throw new UaStatusError(StatusCodes.BadSecurityModeRejected, `MessageSecurityMode ${mode} with ${policy.name}`);
    }
    checkSecureChannelNonce(policy, request.clientNonce);
    if (policy.isSecure && this.#lastClientNonce && Buffer.compare(this.#lastClientNonce, request.clientNonce as Uint8Array) === 0) {
      throw new UaStatusError(StatusCodes.BadNonceInvalid, 'nonce used before');
    }
  }

  /** The request was granted: from now on the channel is secured like this. */
  settle(
    request: OpenSecureChannelRequest,
    policy: SecurityPolicy,
    peers: AsymmetricPeers | undefined,
    clientCertificate: Buffer | undefined,
  ): void {
    this.policy = policy;
    this.mode = request.securityMode;
    this.peers = peers;
    this.clientCertificate = clientCertificate;
    this.#lastClientNonce = request.clientNonce ?? undefined;
  }

  async #validate(senderCertificate: Buffer, policy: SecurityPolicy): Promise<Certificate> {
    try {
      const chain = parseCertificateChain(senderCertificate, this.#endpoints.certificateCache);
      await this.#endpoints.validateClientCertificate(chain, policy);
      return chain[0] as Certificate;
    } catch (error) {
      throw certificateRefusal(error);
    }
  }
}

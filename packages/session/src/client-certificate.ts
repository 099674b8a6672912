import type { SecureChannelContext } from '@bulkhead/contracts';
import { type Certificate, type CertificateCache, type SecurityPolicy, splitCertificateChain } from '@bulkhead/security';
import { type CreateSessionRequest, StatusCodes, UaStatusError } from '@bulkhead/types';

/**
 * The client's own certificate of a channel; its trust was decided when the channel was opened.
 * @throws UaStatusError BadCertificateInvalid.
 */
export function channelCertificate(
  channel: SecureChannelContext,
  policy: SecurityPolicy,
  cache: CertificateCache,
): Certificate | undefined {
  if (!policy.isSecure) return undefined;
  if (channel.clientCertificate === undefined)
    throw new UaStatusError(StatusCodes.BadCertificateInvalid, 'channel without a client certificate');
  return cache.get(leafOf(channel.clientCertificate));
}

/**
 * Checks what CreateSession says of the client against the certificate of its channel. OPC 10000-4 §5.7.2.2. Nothing is
 * checked with SecurityPolicy None.
 * @throws UaStatusError BadCertificateInvalid, BadCertificateUriInvalid.
 */
export function checkClient(request: CreateSessionRequest, certificate: Certificate | undefined): void {
  if (certificate === undefined) return;
  const claimed = request.clientCertificate;
  if (claimed === null || !certificate.der.equals(leafOf(claimed))) {
    throw new UaStatusError(StatusCodes.BadCertificateInvalid, 'the client certificate is not that of the channel');
  }
  const uri = request.clientDescription.applicationUri;
  if (uri === null || !certificate.applicationUris.includes(uri)) {
    throw new UaStatusError(StatusCodes.BadCertificateUriInvalid, 'the ApplicationUri is not that of the certificate');
  }
}

/** The sender's own certificate in a chain. @throws UaStatusError BadCertificateInvalid. */
export function leafOf(chain: Uint8Array): Buffer {
  const [leaf] = splitCertificateChain(chain);
  if (leaf === undefined) throw new UaStatusError(StatusCodes.BadCertificateInvalid, 'empty certificate chain');
  return leaf;
}

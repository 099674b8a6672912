import { deriveChannelKeys, type SecurityPolicy, SymmetricKeys } from '@bulkhead/security';
import { SecurityToken } from './security-token.ts';

/** Makes the token for two nonces; the channel's role decides which keys receive. OPC 10000-6 §6.7.5. */
export function makeSecurityToken(
  role: 'server' | 'client',
  policy: SecurityPolicy,
  nonces: { readonly client: Uint8Array; readonly server: Uint8Array },
  token: { readonly tokenId: number; readonly createdAtMs: number; readonly lifetimeMs: number },
): SecurityToken {
  const { tokenId, createdAtMs, lifetimeMs } = token;
  if (!policy.isSecure) return new SecurityToken(tokenId, createdAtMs, lifetimeMs, undefined, undefined);
  const keys = deriveChannelKeys(policy, nonces.client, nonces.server);
  const client = new SymmetricKeys(policy, keys.client);
  const server = new SymmetricKeys(policy, keys.server);
  return role === 'server'
    ? new SecurityToken(tokenId, createdAtMs, lifetimeMs, client, server)
    : new SecurityToken(tokenId, createdAtMs, lifetimeMs, server, client);
}

import { SecurityPolicies } from '@bulkhead/security';
import { type ClientSecurity, discoverSecurity, loadIdentity } from '../../client/client-security.ts';
import { encodeHello } from '../../client/handshake.ts';
import { SecuredChannel } from '../../client/secured-channel.ts';
import { type Abuse, abuserAddress, urlBy } from './abuse.ts';
import { startPeers } from './peers.ts';

const CONNECTIONS = 200;
const CALLERS = 10;
const UNLIMITED = { receiveBufferBytes: 65_536, sendBufferBytes: 65_536, maxMessageBytes: 0, maxChunkCount: 0 };

/** Peers that open secured channels as fast as they can, and go away once they have them. */
export const connectStorm: Abuse = {
  name: 'connect storm, Basic256Sha256',
  admitsNewcomers: true,
  start: async ({ url, workDir }) => {
    const security = await discoverSecurity(url, SecurityPolicies.Basic256Sha256, await loadIdentity(workDir));
    const bytes = Buffer.concat([encodeHello(url), await encodeOpen(security)]);
    return startPeers(url, {
      count: CONNECTIONS,
      addressOf: (index) => abuserAddress(index, CALLERS),
      abuse: async (peer) => {
        peer.send(bytes);
        peer.returnAfterChunks(2);
      },
    });
  },
};

/** Peers that begin TLS as fast as they can, and go away once they have it: each costs the server a signature. */
export const tlsStorm: Abuse = {
  name: 'connect storm, TLS',
  transport: 'opc.https:',
  admitsNewcomers: true,
  start: (target) => {
    const url = urlBy(target, 'opc.https:') ?? target.url;
    return startPeers(url, {
      count: CONNECTIONS,
      addressOf: (index) => abuserAddress(index, CALLERS),
      abuse: async (peer) => {
        // Answered by this side alone, as soon as TLS is there.
        await peer.secured();
        peer.destroyAndReturn();
      },
    });
  },
};

/** Connections that never send. */
export const silentConnections: Abuse = {
  name: 'silent connections',
  start: ({ url }) =>
    startPeers(url, { count: CONNECTIONS, addressOf: (index) => abuserAddress(index, CALLERS), abuse: () => Promise.resolve() }),
};

/** One OpenSecureChannel request that every connection can send: signing and encrypting it again would cost the abuser as much as the server. */
function encodeOpen(security: ClientSecurity): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const channel = new SecuredChannel(security);
    const takeRequest = (chunks: readonly Buffer[]): Promise<Buffer> => {
      resolve(Buffer.concat(chunks));
      return new Promise(() => {});
    };
    channel.open(takeRequest, UNLIMITED).catch(reject);
  });
}

import { HEADER_BYTES } from '../../client/plain-channel.ts';
import { type Abuse, abuserAddress } from './abuse.ts';
import type { AbusivePeer } from './abusive-peer.ts';
import { startPeers } from './peers.ts';

const CONNECTIONS = 200;
const CALLERS = 10;
const INTERMEDIATE = 0x43;
/** For servers that name no limit. */
const DEFAULT_MESSAGE_BYTES = 4 * 1024 * 1024;

/** Connections that send intermediate chunks up to the limit and stop. */
export const halfSenders: Abuse = {
  name: 'unfinished messages',
  admitsNewcomers: true,
  start: ({ url }) =>
    startPeers(url, {
      count: CONNECTIONS,
      addressOf: (index) => abuserAddress(index, CALLERS),
      abuse: async (peer) => {
        await peer.open();
        sendHalf(peer);
      },
    }),
};

function sendHalf(peer: AbusivePeer): void {
  const { receiveBufferBytes = 65_536, maxMessageBytes = 0, maxChunkCount = 0 } = peer.acknowledge ?? {};
  const bodyBytes = receiveBufferBytes - HEADER_BYTES;
  const mostChunks = Math.floor((maxMessageBytes || DEFAULT_MESSAGE_BYTES) / bodyBytes);
  const chunks = Math.min(mostChunks, maxChunkCount === 0 ? mostChunks : maxChunkCount - 1);
  const body = Buffer.alloc(bodyBytes);
  const frame = peer.channel.createFrame(body);
  const header = frame.subarray(0, HEADER_BYTES);
  for (let chunk = 0; chunk < chunks; chunk++) {
    // Made as final, so that stamping ends with it.
    const bytes = Buffer.from(header);
    peer.channel.stamp(bytes, 0, 1);
    bytes[3] = INTERMEDIATE;
    peer.send(bytes, body);
  }
}

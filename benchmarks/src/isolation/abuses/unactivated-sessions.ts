import { CreateSessionRequest, NodeId } from '@bulkhead/types';
import { encodeRequest } from '../../client/message-body.ts';
import { type Abuse, abuserAddress } from './abuse.ts';
import { sessionFields } from './abusive-peer.ts';
import { startPeers } from './peers.ts';

const CONNECTIONS = 10;
const DEPTH = 4;

/** Sessions that are created, again and again, and never activated. */
export const unactivatedSessions: Abuse = {
  name: 'sessions never activated',
  admitsNewcomers: true,
  start: ({ url }) => {
    const body = encodeRequest(CreateSessionRequest, sessionFields(url), NodeId.NULL, 1).bytes;
    return startPeers(url, {
      count: CONNECTIONS,
      addressOf: (index) => abuserAddress(index, CONNECTIONS),
      abuse: async (peer) => {
        await peer.open();
        const frames = Array.from({ length: DEPTH }, () => peer.channel.createFrame(body));
        peer.onResponse = (requestId) => peer.sendFrame(frames[requestId % DEPTH] as Buffer, requestId + DEPTH);
        for (const [slot, frame] of frames.entries()) peer.sendFrame(frame, DEPTH + slot);
      },
    });
  },
};

import type { NodeId } from '@bulkhead/types';
import type { AbuseTarget, RunningAbuse } from './abuse.ts';
import { startPeers } from './peers.ts';

export interface Pipelining {
  readonly sessions: number;
  readonly depth: number;
  readonly addressOf: (index: number) => string;
  /** An encoded request. */
  readonly body: (token: NodeId, index: number) => Buffer;
}

/** Sessions that keep a number of equal requests each in flight. */
export function startPipelining({ url }: AbuseTarget, { sessions, depth, addressOf, body }: Pipelining): Promise<RunningAbuse> {
  return startPeers(url, {
    count: sessions,
    addressOf,
    abuse: async (peer, index) => {
      const token = await peer.openSession();
      const frame = peer.channel.createFrame(body(token, index));
      // Each request in flight has bytes of its own.
      const frames = Array.from({ length: depth }, () => Buffer.from(frame));
      peer.onResponse = (requestId) => {
        if (requestId > 0 && !peer.isClosed) peer.sendFrame(frames[requestId % depth] as Buffer, requestId + depth);
      };
      for (const [slot, bytes] of frames.entries()) peer.sendFrame(bytes, depth + slot);
    },
  });
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningAbuse } from './abuse.ts';
import { AbusivePeer, Tally } from './abusive-peer.ts';

/** A peer whose connection was refused or closed comes again after this long. */
const RETURN_AFTER_MS = 20;

export interface Peers {
  readonly count: number;
  /** Source address of the n-th peer. */
  readonly addressOf: (index: number) => string;
  /** Called for each connection, again for those that take the place of closed ones. @throws Error when the server closes. */
  readonly abuse: (peer: AbusivePeer, index: number) => Promise<void>;
  /** Called many times per second with peers that are not closed. */
  readonly onTick?: (peer: AbusivePeer, index: number) => void;
}

const TICK_MS = 5;
/** A server that is too busy to answer is abused by those that have come through. */
const MAX_START_MS = 3000;

/** Opens all peers, waits until each was abusive for the first time or was closed, and keeps their number up until it is stopped. */
export async function startPeers(url: string, { count, addressOf, abuse, onTick }: Peers): Promise<RunningAbuse> {
  const counts = new Tally();
  const peers: AbusivePeer[] = [];
  const ready = new Set<AbusivePeer>();
  const timers = new Map<number, NodeJS.Timeout>();
  let isStopped = false;
  const begin = async (index: number): Promise<void> => {
    if (isStopped) return;
    const peer = new AbusivePeer(url, addressOf(index), counts);
    peers[index] = peer;
    peer.onClosed = () => {
      ready.delete(peer);
      if (!isStopped)
        timers.set(
          index,
          setTimeout(() => void begin(index), RETURN_AFTER_MS),
        );
    };
    try {
      await abuse(peer, index);
      if (!peer.isClosed) ready.add(peer);
    } catch {
      // Closed already, or refused: then it comes again.
      if (!peer.isClosed) peer.destroyAndReturn();
    }
  };
  const all = Promise.all(Array.from({ length: count }, (_, index) => begin(index)));
  await Promise.race([all, sleep(MAX_START_MS, undefined, { ref: false })]);
  const tick = (): void => {
    for (const [index, peer] of peers.entries()) if (ready.has(peer)) onTick?.(peer, index);
  };
  const ticking = onTick && setInterval(tick, TICK_MS);
  return {
    counts,
    stop: () => {
      isStopped = true;
      clearInterval(ticking);
      for (const timer of timers.values()) clearTimeout(timer);
      for (const peer of peers) peer.destroy();
    },
  };
}

import { FairRequestQueue, Lane, OwnerTurns, type QueuedEntry, RequestFlow } from '@bulkhead/dispatcher';
import { perSecond, TokenBucket } from '@bulkhead/limits';
import { type Cost, measureCost } from './cost.ts';

/** Entries that wait all the time. */
const WAITING = 1000;

class Entry implements QueuedEntry<Entry> {
  readonly flow: RequestFlow<Entry>;
  readonly lane: Lane = Lane.Ordinary;
  isWaitingForTurn = false;
  order = 0;
  previousLink: Entry | undefined = undefined;
  nextLink: Entry | undefined = undefined;

  constructor(flow: RequestFlow<Entry>) {
    this.flow = flow;
  }
}

export function limiterCosts(ownerCounts: readonly number[]): Cost[] {
  return [tokenBucketCost(), ...ownerCounts.map(queueCost)];
}

function tokenBucketCost(): Cost {
  const bucket = new TokenBucket(perSecond(500, 1000));
  return measureCost('token bucket, one attempt', (index) => {
    bucket.tryAcquire(index / 4);
  });
}

/** One entry in, one out, with a thousand that wait. */
function queueCost(ownerCount: number): Cost {
  const queue = new FairRequestQueue<Entry>();
  const flows = Array.from({ length: ownerCount }, () => new RequestFlow<Entry>(new OwnerTurns(1)));
  for (let at = 0; at < WAITING; at++) queue.enqueue(new Entry(flows[at % ownerCount] as RequestFlow<Entry>));
  return measureCost(`fair queue, in and out, owners: ${ownerCount}`, (index) => {
    queue.enqueue(new Entry(flows[index % ownerCount] as RequestFlow<Entry>));
    queue.take();
  });
}

import type { EndpointDescription } from '@bulkhead/types';
import { abortError } from './deadline.ts';
import { type DiscoveryOptions, getEndpoints } from './discovery.ts';

/** A discovery that runs, and how many sessions wait for it. */
interface RunningDiscovery {
  readonly endpoints: Promise<readonly EndpointDescription[]>;
  readonly abort: AbortController;
  waiting: number;
}

/**
 * Sessions that look for the endpoints of the same server at the same time share one connection for it: a thousand that connect at
 * once would otherwise need two thousand. Nothing is kept once it is answered.
 */
export class SharedDiscovery {
  readonly #running = new Map<string, RunningDiscovery>();

  /** @throws as `getEndpoints`; what `signal` was aborted with. */
  async endpointsOf(options: DiscoveryOptions, signal?: AbortSignal): Promise<readonly EndpointDescription[]> {
    const key = keyOf(options);
    if (key === undefined) return getEndpoints(options, signal);
    if (signal?.aborted) throw abortError(signal);
    const running = this.#running.get(key) ?? this.#begin(key, options);
    running.waiting++;
    try {
      return await untilAborted(running.endpoints, signal);
    } finally {
      running.waiting--;
      if (running.waiting === 0) this.#end(key, running);
    }
  }

  #begin(key: string, options: DiscoveryOptions): RunningDiscovery {
    const abort = new AbortController();
    const running = { endpoints: getEndpoints(options, abort.signal), abort, waiting: 0 };
    this.#running.set(key, running);
    const forget = (): void => {
      if (this.#running.get(key) === running) this.#running.delete(key);
    };
    running.endpoints.then(forget, forget);
    return running;
  }

  /** Nobody waits any more: a newcomer begins anew. */
  #end(key: string, running: RunningDiscovery): void {
    if (this.#running.get(key) === running) this.#running.delete(key);
    running.abort.abort();
  }
}

/** Equal for those that would do the same; undefined for those with a way or limits of their own. */
function keyOf({ endpointUrl, encoding, localAddress, connectTimeoutMs, requestTimeoutMs, ...own }: DiscoveryOptions): string | undefined {
  const { connector, throttle, limits } = own;
  if (connector !== undefined || throttle !== undefined || limits !== undefined) return undefined;
  return JSON.stringify([endpointUrl, encoding, localAddress, connectTimeoutMs, requestTimeoutMs]);
}

function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(abortError(signal));
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

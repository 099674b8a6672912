import type { ServiceContext } from '@bulkhead/contracts';
import { PublishResponse, type ReadResponse } from '@bulkhead/types';
import { expect } from 'vitest';
import type { ServiceHandlers } from '../src/index.ts';
import { deferred, Harness, type HarnessOptions } from './harness.ts';

export const READ_RESULT: Omit<ReadResponse, 'responseHeader'> = { results: [], diagnosticInfos: null };
export const PUBLISH_RESULT: PublishResponse = PublishResponse.create();

/** Handlers whose Read and Publish are driven by the test. */
export function pendingHandlers(): {
  handlers: ServiceHandlers;
  started: { context: ServiceContext; resolve: () => void; reject: (error: unknown) => void }[];
} {
  const started: { context: ServiceContext; resolve: () => void; reject: (error: unknown) => void }[] = [];
  const handlers: ServiceHandlers = {
    Read: (_request, context) => {
      const { promise, resolve, reject } = deferred<typeof READ_RESULT>();
      started.push({ context, resolve: () => resolve(READ_RESULT), reject });
      return promise;
    },
    Publish: (_request, context) => {
      const { promise, resolve, reject } = deferred<typeof PUBLISH_RESULT>();
      context.notifyParked();
      context.notifyParked();
      started.push({ context, resolve: () => resolve(PUBLISH_RESULT), reject });
      return promise;
    },
  };
  return { handlers, started };
}

/** Handlers that take `costMs` of the test's clock and note who ran when. */
export function timedHarness(costMs: number, options: HarnessOptions = {}): { harness: Harness; order: number[] } {
  const order: number[] = [];
  const harness: Harness = new Harness(
    {
      Read: (_request, context) => {
        harness.runtime.nowMs += costMs;
        order.push(context.header.requestHandle);
        return READ_RESULT;
      },
    },
    options,
  );
  return { harness, order };
}

export function expectEverythingEnded(harness: Harness): void {
  expect(harness.usage()).toEqual({});
  expect(harness.provider.trackedOwnerCount).toBe(0);
  expect(harness.runtime.pendingTimers).toBe(0);
  expect([harness.dispatcher.queuedCount, harness.dispatcher.executingCount, harness.dispatcher.parkedCount]).toEqual([0, 0, 0]);
  for (const request of harness.requests) expect(request.leftQueueCount).toBe(1);
}

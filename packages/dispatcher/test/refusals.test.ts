import { AdditionalParametersType, ReadResponse, ServerTooBusyError, StatusCodes } from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { Harness, type TestRequest } from './harness.ts';
import { READ_RESULT, timedHarness } from './scenarios.ts';

function parametersOf(request: TestRequest): Record<string, unknown> {
  const { parameters } = request.answers[0]?.header.additionalHeader.decode(AdditionalParametersType) ?? {};
  return Object.fromEntries((parameters ?? []).map(({ key, value }) => [key.name as string, value.value]));
}

describe('a fault for a refusal', () => {
  it('BX-05 says which stage was how full, when to try again, and an id, and nothing else', () => {
    const { harness } = timedHarness(0, { totals: { RequestQueue: 2 }, busyRetryAfterMs: 250 });
    const neighbour = harness.openSession('10.0.0.2', undefined, 'neighbour');
    harness.read(neighbour);
    harness.read(neighbour);
    const client = harness.openSession('10.0.0.1');
    const refused = [harness.read(client), harness.read(client)];
    const common = { RetryAfterMs: 250n, Stage: 'RequestQueue', Reason: 'Capacity', Usage: 2n, Limit: 2n };
    expect(refused.map(parametersOf)).toEqual([
      { ...common, RefusalId: 1n },
      { ...common, RefusalId: 2n },
    ]);
    expect(refused.map(({ result }) => result)).toEqual([StatusCodes.BadServerTooBusy, StatusCodes.BadServerTooBusy]);
  });

  it('BX-05 says the same of what a service refuses, such as session establishment', async () => {
    const refusal = { id: 42, stage: 'SessionEstablishment', reason: 'OwnerLimit', usage: 3, limit: 3 };
    const harness = new Harness({
      Read: () => {
        throw new ServerTooBusyError(refusal, 700);
      },
    });
    const request = harness.read(harness.openSession());
    await harness.runtime.idle();
    expect(parametersOf(request)).toEqual({
      RetryAfterMs: 700n,
      Stage: 'SessionEstablishment',
      Reason: 'OwnerLimit',
      Usage: 3n,
      Limit: 3n,
      RefusalId: 42n,
    });
  });

  it('BX-05 is sent to whom it concerns only: answers that are no refusals have no such header', async () => {
    const harness = new Harness({ Read: () => READ_RESULT });
    const request = harness.read(harness.openSession());
    await harness.runtime.idle();
    expect(request.answers[0]?.type).toBe(ReadResponse);
    expect(request.answers[0]?.header.additionalHeader.isNull).toBe(true);
  });
});

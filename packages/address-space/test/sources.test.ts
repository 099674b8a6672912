import { DataValue, DateTime, StatusCodes, UaStatusError, Variant } from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { createFixture, read, readNow } from './harness.ts';

describe('variables with a read callback', () => {
  it('ask a synchronous source on each read', () => {
    const { space } = createFixture();
    let count = 0;
    const node = space.addVariable({ browseName: 'V', dataType: 'UInt32', read: () => ++count });
    expect(readNow(space, node.nodeId).value?.value).toBe(1);
    expect(readNow(space, node.nodeId)).toMatchObject({ value: { value: 2, type: 7 }, statusCode: StatusCodes.Good });
  });

  it('answer reads of an asynchronous source together, with one call', async () => {
    const { space } = createFixture();
    let finish: (value: number) => void = () => {};
    let calls = 0;
    const node = space.addVariable({
      browseName: 'V',
      dataType: 'Double',
      read: () => {
        calls++;
        return new Promise((resolve) => {
          finish = resolve;
        });
      },
    });
    const first = read(space, node.nodeId);
    const second = read(space, node.nodeId);
    finish(4.5);
    expect((await first).value?.value).toBe(4.5);
    expect((await second).value?.value).toBe(4.5);
    expect(calls).toBe(1);
    const third = read(space, node.nodeId);
    finish(5.5);
    expect((await third).value?.value).toBe(5.5);
    expect(calls).toBe(2);
  });

  it('count as BadTimeout after the deadline, and their signal says so', async () => {
    const { space, runtime } = createFixture({ sourceTimeoutMs: 500 });
    let signal: AbortSignal | undefined;
    const node = space.addVariable({
      browseName: 'V',
      dataType: 'Double',
      read: (context) => {
        signal = context.signal;
        return new Promise(() => {});
      },
    });
    const value = read(space, node.nodeId);
    runtime.clock.advance(499);
    expect(signal?.aborted).toBe(false);
    runtime.clock.advance(1);
    expect((await value).statusCode).toBe(StatusCodes.BadTimeout);
    expect(signal?.aborted).toBe(true);
    expect(runtime.clock.pendingTimers).toBe(0);
    expect(runtime.log.of('address-space.read-callback-timeout')).toHaveLength(1);
  });

  it('have no timer left once they answered', async () => {
    const { space, runtime } = createFixture();
    const node = space.addVariable({ browseName: 'V', dataType: 'Double', read: () => Promise.resolve(1) });
    expect((await read(space, node.nodeId)).value?.value).toBe(1);
    expect(runtime.clock.pendingTimers).toBe(0);
  });

  it('are told to stop when everybody who waits has gone', async () => {
    const { space, runtime } = createFixture();
    let signal: AbortSignal | undefined;
    const node = space.addVariable({
      browseName: 'V',
      dataType: 'Double',
      read: (context) => {
        signal = context.signal;
        return new Promise(() => {});
      },
    });
    const callers = [new AbortController(), new AbortController()];
    const values = callers.map((caller) => read(space, node.nodeId, { signal: caller.signal }));
    callers[0]?.abort();
    expect(signal?.aborted).toBe(false);
    callers[1]?.abort();
    expect(signal?.aborted).toBe(true);
    for (const value of values) expect((await value).statusCode).toBe(StatusCodes.BadRequestCancelledByClient);
    expect(runtime.clock.pendingTimers).toBe(0);
  });

  it('answer from the last value while it is young enough for maxAge', () => {
    const { space, runtime } = createFixture();
    let count = 0;
    const node = space.addVariable({ browseName: 'V', dataType: 'Int32', read: () => ++count });
    readNow(space, node.nodeId);
    runtime.clock.advance(100);
    expect(readNow(space, node.nodeId, { maxAgeMs: 100 }).value?.value).toBe(1);
    expect(readNow(space, node.nodeId, { maxAgeMs: 99 }).value?.value).toBe(2);
    expect(readNow(space, node.nodeId, { maxAgeMs: 0 }).value?.value).toBe(3);
  });

  it('turn what they throw into StatusCodes and log only mistakes', async () => {
    const { space, runtime } = createFixture();
    const status = async (fail: () => unknown): Promise<number> => {
      const node = space.addVariable({ browseName: 'V', dataType: 'Double', read: fail });
      return (await read(space, node.nodeId)).statusCode;
    };
    const known = new UaStatusError(StatusCodes.BadCommunicationError, 'cable');
    expect(await status(() => Promise.reject(known))).toBe(StatusCodes.BadCommunicationError);
    expect(runtime.log.records).toEqual([]);
    expect(await status(() => Promise.reject(new Error('bug')))).toBe(StatusCodes.BadInternalError);
    expect(
      await status(() => {
        throw new TypeError('bug');
      }),
    ).toBe(StatusCodes.BadInternalError);
    expect(runtime.log.of('address-space.read-callback-failed')).toHaveLength(2);
    expect(await status(() => 'no number')).toBe(StatusCodes.BadTypeMismatch);
    expect(await status(() => Variant.string('no number'))).toBe(StatusCodes.BadTypeMismatch);
    expect(await status(() => containsItself())).toBe(StatusCodes.BadTypeMismatch);
    expect(runtime.log.of('address-space.read-callback-value-invalid')).toHaveLength(3);
  });

  it('may bring their own status and time', () => {
    const { space } = createFixture();
    const time = DateTime.fromUnixMs(5_000_000);
    const node = space.addVariable({
      browseName: 'V',
      dataType: 'Double',
      read: () => new DataValue(Variant.double(3), StatusCodes.UncertainSensorNotAccurate, time),
    });
    const value = readNow(space, node.nodeId);
    expect(value).toMatchObject({ statusCode: StatusCodes.UncertainSensorNotAccurate, sourceTimestamp: time });
    expect(value.serverTimestamp?.unixMs).toBe(Date.UTC(2026, 0, 1));
  });

  it('can be given to variables of a loaded namespace', () => {
    const { space } = createFixture();
    const node = space.namespaces.core.findNumeric(2267);
    (node as ReturnType<typeof space.addVariable>).bind({ read: () => 200 });
    expect(readNow(space, node?.nodeId as never).value).toMatchObject({ value: 200, type: 3 });
  });
});

function containsItself(): unknown[] {
  const array: unknown[] = [];
  array.push(array);
  return array;
}

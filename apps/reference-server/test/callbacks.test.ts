import { BuiltInType, StatusCodes, Variant } from '@bulkhead/types';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { abstractSamples, concreteSamples } from '../src/nodes/sample-values.ts';
import { createReferenceSpace, type ReferenceSpace } from './harness.ts';

const allSamples = [...concreteSamples, ...abstractSamples];

let reference: ReferenceSpace;
beforeEach(async () => {
  reference = await createReferenceSpace();
});

describe('methods', () => {
  it('take and give values of every type', async () => {
    const scalars = allSamples.map(({ scalar }) => scalar);
    expect(await reference.call('EchoScalars', scalars)).toMatchObject({ statusCode: StatusCodes.Good, outputArguments: scalars });
    const arrays = allSamples.map(({ type, elements }) => Variant.array(type, elements as never));
    expect(await reference.call('EchoArrays', arrays)).toMatchObject({ statusCode: StatusCodes.Good, outputArguments: arrays });
  });

  it.each([
    ['NoArguments', [], []],
    ['Echo', [Variant.string('a')], ['a']],
    ['Add', [Variant.double(1.5), Variant.double(2)], [3.5]],
    ['AddInt64', [Variant.scalar(BuiltInType.Int64, 2n ** 62n), Variant.scalar(BuiltInType.Int64, 1n)], [2n ** 62n + 1n]],
    ['Concatenate', [Variant.array(BuiltInType.String, ['a', null, 'b']), Variant.string('-')], ['a--b']],
    ['Concatenate', [Variant.array(BuiltInType.String, null), Variant.string(null)], ['']],
    ['SumArray', [Variant.array(BuiltInType.Double, Float64Array.of(1, 2, 3.5))], [6.5]],
    [
      'InputsOnly',
      [Variant.scalar(BuiltInType.Byte, 255), Variant.scalar(BuiltInType.LocalizedText, { text: 'x', locale: null } as never)],
      [],
    ],
  ])('%s answers what it should', async (name, inputs, outputs) => {
    const { statusCode, outputArguments } = await reference.call(name, inputs);
    expect(statusCode).toBe(StatusCodes.Good);
    expect(outputArguments?.map(({ value }) => value)).toEqual(outputs);
  });

  it('transpose a matrix', async () => {
    const { outputArguments } = await reference.call('Transpose', [Variant.matrix(BuiltInType.Double, [1, 2, 3, 4, 5, 6], [2, 3])]);
    expect(outputArguments).toEqual([Variant.matrix(BuiltInType.Double, [1, 4, 2, 5, 3, 6], [3, 2])]);
  });

  it('may have outputs only', async () => {
    const { outputArguments } = await reference.call('OutputsOnly', []);
    expect(outputArguments?.map(({ type, isArray }) => [type, isArray])).toEqual([
      [BuiltInType.DateTime, false],
      [BuiltInType.UInt16, true],
      [BuiltInType.String, false],
    ]);
  });

  it.each([
    ['Throws', [], StatusCodes.BadInternalError],
    ['ThrowsStatus', [], StatusCodes.BadInvalidState],
    ['WrongOutputs', [], StatusCodes.BadInternalError],
    ['NotExecutable', [], StatusCodes.BadNotExecutable],
    ['NotImplemented', [], StatusCodes.BadNotImplemented],
    ['Add', [Variant.double(1)], StatusCodes.BadArgumentsMissing],
    ['NoArguments', [Variant.double(1)], StatusCodes.BadTooManyArguments],
    ['Add', [Variant.double(1), Variant.string('2')], StatusCodes.BadInvalidArgument],
    ['AddInt64', [Variant.scalar(BuiltInType.Int64, 2n ** 63n - 1n), Variant.scalar(BuiltInType.Int64, 1n)], StatusCodes.BadOutOfRange],
  ])('%s fails with the right code', async (name, inputs, statusCode) => {
    expect((await reference.call(name, inputs)).statusCode).toBe(statusCode);
  });

  it('that are slow answer after two seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      let isDone = false;
      const answer = reference.call('Slow', [Variant.string('late')]).then((result) => {
        isDone = true;
        return result;
      });
      await vi.advanceTimersByTimeAsync(1900);
      expect(isDone).toBe(false);
      await vi.advanceTimersByTimeAsync(200);
      expect((await answer).outputArguments?.[0]?.value).toBe('late');
    } finally {
      vi.useRealTimers();
    }
  });

  it('that are slow give up when the call is cancelled', async () => {
    const controller = new AbortController();
    const answer = reference.call('Slow', [Variant.string('never')], controller.signal);
    controller.abort();
    expect((await answer).statusCode).not.toBe(StatusCodes.Good);
  });
});

describe('sources', () => {
  it.each([
    ['Synchronous', 1],
    ['Asynchronous', 1],
    ['Echo', 'nothing yet'],
  ])('that answer: %s', async (name, value) => {
    expect((await reference.read(`ns=2;s=Source.${name}`)).value?.value).toBe(value);
  });

  it('show what was written to them', async () => {
    expect(await reference.write('ns=2;s=Source.Echo', Variant.string('heard'))).toBe(StatusCodes.Good);
    expect((await reference.read('ns=2;s=Source.Echo')).value?.value).toBe('heard');
  });

  it.each([
    ['Throws', StatusCodes.BadInternalError],
    ['ThrowsStatus', StatusCodes.BadSensorFailure],
    ['Rejects', StatusCodes.BadDeviceFailure],
    ['WrongType', StatusCodes.BadTypeMismatch],
    ['Never', StatusCodes.BadTimeout],
  ])('that fail give a StatusCode: %s', async (name, statusCode) => {
    const { statusCode: got, value } = await reference.read(`ns=2;s=Source.${name}`);
    expect([got, value]).toEqual([statusCode, undefined]);
  });

  it('that throw leave an entry in the log', async () => {
    await reference.read('ns=2;s=Source.Throws');
    expect(reference.logged).toEqual(['address-space.read-callback-failed']);
  });

  it('that throw when written keep their value', async () => {
    expect(await reference.write('ns=2;s=Source.WriteThrows', Variant.double(5))).toBe(StatusCodes.BadInternalError);
    expect((await reference.read('ns=2;s=Source.WriteThrows')).value?.value).toBe(1);
  });
});

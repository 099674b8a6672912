import { BuiltInType, type CallMethodResult, ExtensionObject, NodeId, Range, StatusCodes, UaStatusError, Variant } from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { call, createFixture, readNow } from './harness.ts';

const status = async (result: CallMethodResult | Promise<CallMethodResult>): Promise<number> => (await result).statusCode;

describe('calling methods', () => {
  const { space, runtime } = createFixture();
  const object = space.addObject({ browseName: 'Calculator' });
  const add = object.addMethod({
    browseName: 'Add',
    inputArguments: [
      { name: 'a', dataType: 'Double' },
      { name: 'b', dataType: 'Double' },
    ],
    outputArguments: [{ name: 'sum', dataType: 'Double', description: 'a + b' }],
    call: ([a, b]) => [(a as number) + (b as number)],
  });
  const one = Variant.double(1);

  it('gives plain values in and takes plain values out', async () => {
    const result = await call(space, object.nodeId, add.nodeId, [one, Variant.double(2)]);
    expect(result).toMatchObject({ statusCode: StatusCodes.Good, inputArgumentResults: [0, 0] });
    expect(result.outputArguments).toEqual([Variant.double(3)]);
  });

  it('describes the arguments in properties', () => {
    expect(readNow(space, add.child('InputArguments')?.nodeId ?? NodeId.NULL).value?.elements?.length).toBe(2);
    expect(readNow(space, add.child('OutputArguments')?.nodeId ?? NodeId.NULL).value?.elements?.length).toBe(1);
  });

  it('checks object, method and arguments in this order', async () => {
    const unknown = NodeId.numeric(1, 999_999);
    expect(await status(call(space, unknown, add.nodeId))).toBe(StatusCodes.BadNodeIdUnknown);
    expect(await status(call(space, object.nodeId, unknown))).toBe(StatusCodes.BadMethodInvalid);
    expect(await status(call(space, object.nodeId, object.nodeId))).toBe(StatusCodes.BadMethodInvalid);
    expect(await status(call(space, space.objectsFolder.nodeId, add.nodeId))).toBe(StatusCodes.BadMethodInvalid);
    expect(await status(call(space, object.nodeId, add.nodeId, [one]))).toBe(StatusCodes.BadArgumentsMissing);
    expect(await status(call(space, object.nodeId, add.nodeId, [one, one, one]))).toBe(StatusCodes.BadTooManyArguments);
    const wrong = await call(space, object.nodeId, add.nodeId, [one, Variant.string('2')]);
    expect(wrong).toMatchObject({
      statusCode: StatusCodes.BadInvalidArgument,
      inputArgumentResults: [StatusCodes.Good, StatusCodes.BadTypeMismatch],
    });
  });

  it('refuses what is not executable or has no implementation', async () => {
    const off = object.addMethod({ browseName: 'Off', executable: false, call: () => [] });
    const empty = object.addMethod({ browseName: 'Empty' });
    expect(await status(call(space, object.nodeId, off.nodeId))).toBe(StatusCodes.BadNotExecutable);
    expect(await status(call(space, object.nodeId, empty.nodeId))).toBe(StatusCodes.BadNotImplemented);
    empty.bind(() => []);
    expect(await status(call(space, object.nodeId, empty.nodeId))).toBe(StatusCodes.Good);
  });

  it('turns what a method throws into StatusCodes', async () => {
    const failing = object.addMethod({
      browseName: 'Fail',
      inputArguments: [{ name: 'how', dataType: 'Int32' }],
      call: async ([how]) => {
        if (how === 1) throw new UaStatusError(StatusCodes.BadOutOfService, 'closed');
        if (how === 2) throw new Error('bug');
        return [1];
      },
    });
    expect(await status(call(space, object.nodeId, failing.nodeId, [Variant.int32(1)]))).toBe(StatusCodes.BadOutOfService);
    expect(await status(call(space, object.nodeId, failing.nodeId, [Variant.int32(2)]))).toBe(StatusCodes.BadInternalError);
    expect(runtime.log.of('address-space.call-callback-failed')).toHaveLength(1);
    // An output that nobody declared.
    expect(await status(call(space, object.nodeId, failing.nodeId, [Variant.int32(3)]))).toBe(StatusCodes.BadInternalError);
  });

  it('sends no outputs of another type than declared', async () => {
    const giving = (value: unknown): Promise<number> => {
      const method = object.addMethod({ browseName: 'Give', outputArguments: [{ name: 'out', dataType: 'Double' }], call: () => [value] });
      return status(call(space, object.nodeId, method.nodeId));
    };
    expect(await giving(Variant.double(1))).toBe(StatusCodes.Good);
    expect(await giving(undefined)).toBe(StatusCodes.Good);
    expect(await giving(Variant.int32(1))).toBe(StatusCodes.BadInternalError);
    expect(await giving([1, 2])).toBe(StatusCodes.BadInternalError);
    expect(await giving('1')).toBe(StatusCodes.BadInternalError);
  });

  it('takes structures out of their envelopes', async () => {
    const width = object.addMethod({
      browseName: 'Width',
      inputArguments: [{ name: 'range', dataType: 'Range' }],
      outputArguments: [{ name: 'width', dataType: 'Double' }],
      call: ([range]) => [(range as Range).high - (range as Range).low],
    });
    const bytes = new ExtensionObject(NodeId.numeric(0, 886), ExtensionObject.of(Range, { low: 3, high: 10 }).toBinaryBody());
    const result = await call(space, object.nodeId, width.nodeId, [Variant.scalar(BuiltInType.ExtensionObject, bytes)]);
    expect(result.outputArguments?.[0]?.value).toBe(7);
    const broken = new ExtensionObject(NodeId.numeric(0, 886), Buffer.from([1, 2]));
    expect(await status(call(space, object.nodeId, width.nodeId, [Variant.scalar(BuiltInType.ExtensionObject, broken)]))).toBe(
      StatusCodes.BadDecodingError,
    );
  });

  it("finds a method through the type of the object, and prefers the object's own", async () => {
    const type = space.addObjectType({ name: 'PumpType' });
    const derived = space.addObjectType({ name: 'BigPumpType', superType: type });
    const start = type.addMethod({
      browseName: 'Start',
      outputArguments: [{ name: 'who', dataType: 'String' }],
      call: (_, { object: on }) => [`type:${on.name}`],
    });
    const pump = space.addObject({ browseName: 'P1', typeDefinition: derived });
    expect((await call(space, pump.nodeId, start.nodeId)).outputArguments?.[0]?.value).toBe('type:P1');
    expect(space.findMethod(pump.nodeId, start.nodeId)).toBe(start);
    const own = pump.addMethod({ browseName: 'Start', outputArguments: [{ name: 'who', dataType: 'String' }], call: () => ['own'] });
    expect((await call(space, pump.nodeId, start.nodeId)).outputArguments?.[0]?.value).toBe('own');
    expect(space.findMethod(pump.nodeId, start.nodeId)).toBe(own);
    expect((await call(space, type.nodeId, start.nodeId)).statusCode).toBe(StatusCodes.Good);
    expect(await status(call(space, object.nodeId, start.nodeId))).toBe(StatusCodes.BadMethodInvalid);
  });

  it("hands the caller's signal on only when it is asked for", () => {
    let asked = 0;
    const quick = object.addMethod({ browseName: 'Quick', call: () => [] });
    const request = { objectId: object.nodeId, methodId: quick.nodeId, inputArguments: [] };
    const caller = {
      get signal(): AbortSignal {
        asked++;
        return AbortSignal.abort();
      },
    };
    expect(space.callMethod(undefined, request, caller)).toMatchObject({ statusCode: StatusCodes.Good });
    expect(asked).toBe(0);
  });
});

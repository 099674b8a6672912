import { setTimeout as wait } from 'node:timers/promises';
import type { ArgumentOptions, MethodOptions, ObjectNode } from '@bulkhead/address-space';
import { BuiltInType, DateTime, StatusCodes, UaStatusError, Variant } from '@bulkhead/types';
import { abstractSamples, concreteSamples } from './sample-values.ts';
import { SLOW_MS } from './source-nodes.ts';

type Method = Pick<MethodOptions, 'inputArguments' | 'outputArguments' | 'call' | 'executable' | 'description'>;

const matrix: ArgumentOptions = { name: 'matrix', dataType: 'Double', valueRank: 2, arrayDimensions: [0, 0] };
const everyType: readonly string[] = [...concreteSamples, ...abstractSamples].map(({ dataType }) => dataType);

/** Methods by BrowseName; each is `s=Method.<BrowseName>`. */
const methods: Readonly<Record<string, Method>> = {
  NoArguments: { call: () => [] },
  Echo: {
    inputArguments: [scalar('value', 'BaseDataType')],
    outputArguments: [scalar('value', 'BaseDataType')],
    call: (_, { inputArguments }) => inputArguments,
  },
  Add: {
    inputArguments: [scalar('a', 'Double'), scalar('b', 'Double')],
    outputArguments: [scalar('sum', 'Double')],
    call: ([a, b]) => [(a as number) + (b as number)],
  },
  AddInt64: {
    inputArguments: [scalar('a', 'Int64'), scalar('b', 'Int64')],
    outputArguments: [scalar('sum', 'Int64')],
    description: 'BadOutOfRange when the sum is no Int64.',
    call: ([a, b]) => [inInt64((a as bigint) + (b as bigint))],
  },
  Concatenate: {
    inputArguments: [array('texts', 'String'), scalar('separator', 'String')],
    outputArguments: [scalar('text', 'String')],
    call: ([texts, separator]) => [
      Array.from((texts ?? []) as ArrayLike<string | null>, (text) => text ?? '').join((separator as string | null) ?? ''),
    ],
  },
  SumArray: {
    inputArguments: [array('values', 'Double')],
    outputArguments: [scalar('sum', 'Double')],
    call: ([values]) => [Array.from((values ?? []) as ArrayLike<number>).reduce((sum, value) => sum + value, 0)],
  },
  InputsOnly: { inputArguments: [scalar('level', 'Byte'), scalar('text', 'LocalizedText')], call: () => undefined },
  OutputsOnly: {
    outputArguments: [scalar('time', 'UtcTime'), array('primes', 'UInt16'), scalar('name', 'String')],
    call: () => [DateTime.fromDate(new Date()), [2, 3, 5, 7, 11], 'Bulkhead'],
  },
  EchoScalars: {
    inputArguments: everyType.map((dataType) => scalar(`a${dataType}`, dataType)),
    outputArguments: everyType.map((dataType) => scalar(`a${dataType}`, dataType)),
    description: 'One argument of every type.',
    call: (_, { inputArguments }) => inputArguments,
  },
  EchoArrays: {
    inputArguments: everyType.map((dataType) => array(`a${dataType}`, dataType)),
    outputArguments: everyType.map((dataType) => array(`a${dataType}`, dataType)),
    description: 'One array of every type.',
    call: (_, { inputArguments }) => inputArguments,
  },
  Slow: {
    inputArguments: [scalar('text', 'String')],
    outputArguments: [scalar('text', 'String')],
    description: 'Answers after two seconds, unless cancelled.',
    call: async ([text], { signal }) => [await wait(SLOW_MS, text, { signal })],
  },
  Throws: {
    call: () => {
      throw new Error('this method always fails');
    },
  },
  ThrowsStatus: {
    call: async () => {
      await wait(1);
      throw new UaStatusError(StatusCodes.BadInvalidState, 'not in this state');
    },
  },
  WrongOutputs: { outputArguments: [scalar('number', 'Double')], call: () => ['a text', 'and one too many'] },
  NotExecutable: { executable: false, call: () => [] },
  NotImplemented: {},
};

/** Methods with none to many arguments, slow and failing ones. */
export function addMethodNodes(parent: ObjectNode): ObjectNode {
  const object = parent.addObject({ browseName: 'Methods', nodeId: 's=Method' });
  for (const [name, method] of Object.entries(methods)) object.addMethod({ browseName: name, nodeId: `s=Method.${name}`, ...method });
  object.addMethod({
    browseName: 'Transpose',
    nodeId: 's=Method.Transpose',
    inputArguments: [matrix],
    outputArguments: [{ ...matrix, name: 'transposed' }],
    call: (_, { inputArguments }) => [transpose(inputArguments[0])],
  });
  return object;
}

function scalar(name: string, dataType: string): ArgumentOptions {
  return { name, dataType };
}

function array(name: string, dataType: string): ArgumentOptions {
  return { name, dataType, valueRank: 1, arrayDimensions: [0] };
}

function inInt64(sum: bigint): bigint {
  if (BigInt.asIntN(64, sum) !== sum) throw new UaStatusError(StatusCodes.BadOutOfRange, 'the sum is no Int64');
  return sum;
}

/** Rows become columns. @throws UaStatusError BadInvalidArgument for a null matrix. */
function transpose(matrix: Variant | undefined): Variant {
  const [rows = 0, columns = 0] = matrix?.dimensions ?? [];
  const elements = matrix?.elements as ArrayLike<number> | undefined;
  if (elements === undefined) throw new UaStatusError(StatusCodes.BadInvalidArgument, 'a matrix is wanted');
  const transposed = Array.from({ length: elements.length }, (_, i) => elements[(i % rows) * columns + Math.floor(i / rows)] as number);
  return Variant.matrix(BuiltInType.Double, transposed, [columns, rows]);
}

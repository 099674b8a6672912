import type { ObjectNode } from '@bulkhead/address-space';
import { DataValue, Variant } from '@bulkhead/types';
import { abstractSamples, concreteSamples, MATRIX_DIMENSIONS, type Samples } from './sample-values.ts';
import { specialStatuses, specialValues } from './special-values.ts';

const allSamples: readonly Samples[] = [...concreteSamples, ...abstractSamples];

/** What tells one kind of static variable from another. */
interface StaticKind {
  /** Of the NodeId: `s=<prefix>.<DataType>`. */
  readonly prefix: string;
  readonly valueRank: number;
  readonly arrayDimensions?: readonly number[];
  readonly writable: boolean;
  readonly value: (samples: Samples) => Variant;
}

const scalarKinds: readonly StaticKind[] = [
  { prefix: 'Scalar.Static', valueRank: -1, writable: true, value: ({ scalar }) => scalar },
  { prefix: 'Scalar.ReadOnly', valueRank: -1, writable: false, value: ({ otherScalar }) => otherScalar },
];

const arrayKinds: readonly StaticKind[] = [
  { prefix: 'Array.Static', valueRank: 1, writable: true, value: arrayOf },
  {
    prefix: 'Array.ReadOnly',
    valueRank: 1,
    writable: false,
    value: (samples) => arrayOf({ ...samples, elements: samples.elements.toReversed() }),
  },
];

const nothingKinds: readonly StaticKind[] = [
  { prefix: 'Array.Empty', valueRank: 1, writable: true, value: ({ type }) => Variant.array(type, []) },
  { prefix: 'Array.Null', valueRank: 1, writable: true, value: ({ type }) => Variant.array(type, null) },
];

const matrixKinds: readonly StaticKind[] = [
  { prefix: 'Matrix.Static', valueRank: 2, arrayDimensions: [0, 0], writable: true, value: matrixOf },
  { prefix: 'Matrix.ReadOnly', valueRank: 2, arrayDimensions: MATRIX_DIMENSIONS, writable: false, value: matrixOf },
];

/** Scalars, arrays and matrices of every built-in type, writable and not. */
export function addStaticNodes(parent: ObjectNode): void {
  const scalars = parent.addFolder({ browseName: 'Scalars', nodeId: 's=Scalar' });
  for (const kind of scalarKinds) addKind(scalars, kind, allSamples);
  const arrays = parent.addFolder({ browseName: 'Arrays', nodeId: 's=Array' });
  for (const kind of arrayKinds) addKind(arrays, kind, allSamples);
  for (const kind of nothingKinds) addKind(arrays, kind, concreteSamples);
  const matrices = parent.addFolder({ browseName: 'Matrices', nodeId: 's=Matrix' });
  for (const kind of matrixKinds) addKind(matrices, kind, allSamples);
}

/** Values at the edges of their types, and values that are not good. */
export function addSpecialNodes(parent: ObjectNode): void {
  const values = parent.addFolder({ browseName: 'Special', nodeId: 's=Special' });
  for (const { name, dataType, value } of specialValues) {
    const valueRank = value.isArray ? (value.dimensions?.length ?? 1) : -1;
    values.addVariable({ browseName: name, nodeId: `s=Special.${name}`, dataType, valueRank, value, writable: true });
  }
  const statuses = parent.addFolder({ browseName: 'Status', nodeId: 's=Status' });
  for (const [name, statusCode] of Object.entries(specialStatuses)) {
    const value = new DataValue(Variant.double(1.25), statusCode);
    statuses.addVariable({ browseName: name, nodeId: `s=Status.${name}`, dataType: 'Double', value });
  }
}

function addKind(parent: ObjectNode, kind: StaticKind, list: readonly Samples[]): void {
  const { prefix, valueRank, arrayDimensions, writable } = kind;
  const folder = parent.addFolder({ browseName: prefix.slice(prefix.indexOf('.') + 1), nodeId: `s=${prefix}` });
  for (const samples of list) {
    folder.addVariable({
      browseName: samples.dataType,
      nodeId: `s=${prefix}.${samples.dataType}`,
      dataType: samples.dataType,
      valueRank,
      ...(arrayDimensions === undefined ? {} : { arrayDimensions }),
      value: kind.value(samples),
      writable,
    });
  }
}

function arrayOf({ type, elements }: Samples): Variant {
  return Variant.array(type, elements as never);
}

function matrixOf({ type, elements }: Samples): Variant {
  return Variant.matrix(type, elements as never, MATRIX_DIMENSIONS);
}

import { abstractSamples, concreteSamples } from './sample-values.ts';
import { specialStatuses, specialValues } from './special-values.ts';

export const REFERENCE_NAMESPACE_URI = 'urn:bulkhead:reference-server';
/** The index that the namespace gets as long as it is the first one added to a server. */
export const REFERENCE_NAMESPACE_INDEX = 2;

export const BENCH_VARIABLE_COUNT = 1000;
export const MANY_CHILDREN_COUNT = 300;
export const DEEP_PATH_LENGTH = 20;
/** Milliseconds between two values of a counter, by the last part of its NodeId. */
export const counterPeriodsMs: Readonly<Record<string, number>> = { '10ms': 10, '100ms': 100, '1000ms': 1000 };

const dataTypes = [...concreteSamples, ...abstractSamples].map(({ dataType }) => dataType);
const concreteDataTypes = concreteSamples.map(({ dataType }) => dataType);

export type ReferenceNodeGroup =
  | 'scalarStatic'
  | 'scalarReadOnly'
  | 'arrayStatic'
  | 'arrayReadOnly'
  | 'arrayEmpty'
  | 'arrayNull'
  | 'matrixStatic'
  | 'matrixReadOnly'
  | 'special'
  | 'status'
  | 'analog'
  | 'discrete'
  | 'bench'
  | 'benchWritable'
  | 'counter'
  | 'manyChildren'
  | 'deepPath'
  | 'method'
  | 'source'
  | 'structure'
  | 'dataType'
  | 'access';

/** NodeIds of the reference server's nodes, in their text form, by group. */
export const referenceNodeIds: Readonly<Record<ReferenceNodeGroup, readonly string[]>> = {
  scalarStatic: ids('Scalar.Static', dataTypes),
  scalarReadOnly: ids('Scalar.ReadOnly', dataTypes),
  arrayStatic: ids('Array.Static', dataTypes),
  arrayReadOnly: ids('Array.ReadOnly', dataTypes),
  arrayEmpty: ids('Array.Empty', concreteDataTypes),
  arrayNull: ids('Array.Null', concreteDataTypes),
  matrixStatic: ids('Matrix.Static', dataTypes),
  matrixReadOnly: ids('Matrix.ReadOnly', dataTypes),
  special: ids(
    'Special',
    specialValues.map(({ name }) => name),
  ),
  status: ids('Status', Object.keys(specialStatuses)),
  analog: ids('Analog', ['Temperature', 'Pressure', 'Flow', 'Setpoint', 'Profile']),
  discrete: ids('Discrete', ['TwoState', 'MultiState', 'MultiStateValue']),
  bench: ids('Bench.Double', numbers(BENCH_VARIABLE_COUNT)),
  benchWritable: ids('Bench', ['Writable']),
  counter: ids('Counter', Object.keys(counterPeriodsMs)),
  manyChildren: ids('Many', numbers(MANY_CHILDREN_COUNT)),
  deepPath: ids('Deep', numbers(DEEP_PATH_LENGTH + 1).slice(1)),
  method: ids('Method', [
    'NoArguments',
    'Echo',
    'Add',
    'AddInt64',
    'Concatenate',
    'SumArray',
    'Transpose',
    'InputsOnly',
    'OutputsOnly',
    'EchoScalars',
    'EchoArrays',
    'MoveVessel',
    'Slow',
    'Throws',
    'ThrowsStatus',
    'WrongOutputs',
    'NotExecutable',
    'NotImplemented',
  ]),
  source: ids('Source', [
    'Synchronous',
    'Asynchronous',
    'Slow',
    'Never',
    'Throws',
    'ThrowsStatus',
    'Rejects',
    'WrongType',
    'WriteThrows',
    'Echo',
  ]),
  structure: ids('Structure', [
    'Position',
    'PositionReadOnly',
    'PositionArray',
    'Vessel',
    'VesselPartly',
    'Fleet',
    'Tanker',
    'Cargo',
    'CargoNone',
    'CargoList',
    'Mode',
    'ModeArray',
    'Alarms',
  ]),
  dataType: ids('DataType', ['Position', 'Mode', 'Alarms', 'Cargo', 'Vessel', 'Tanker']),
  access: ids('Access', [
    'ReadOnly',
    'WriteOnly',
    'ReadWrite',
    'None',
    'StatusWrite',
    'TimestampWrite',
    'StatusAndTimestampWrite',
    'OperatorOnly',
    'ObserverReadsOperatorWrites',
    'OperatorBrowses',
    'SigningRequired',
    'EncryptionRequired',
    'EncryptionRequiredToBrowse',
    'WritableAttributes',
    'OperatorCalls',
  ]),
};

function ids(prefix: string, names: readonly string[]): readonly string[] {
  return names.map((name) => `ns=${REFERENCE_NAMESPACE_INDEX};s=${prefix}.${name}`);
}

function numbers(count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => String(i));
}

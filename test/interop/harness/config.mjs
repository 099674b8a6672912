import { referenceNodeIds } from '@bulkhead/reference-server';

export const TICK_MS = 100;
const POLICY_URI = 'http://opcfoundation.org/UA/SecurityPolicy#';
const policies = ['Basic256Sha256', 'Aes128_Sha256_RsaOaep', 'Aes256_Sha256_RsaPss'];
const endpoint = (policy, mode) => ({ policy, policyUri: `${POLICY_URI}${policy}`, mode });
const endpoints = [
  endpoint('None', 'None'),
  ...policies.flatMap((policy) => ['Sign', 'SignAndEncrypt'].map((mode) => endpoint(policy, mode))),
];

const n = (name) => `ns=2;s=${name}`;

/** Attribute ids by NodeClass. OPC 10000-3 §5. */
const base = { mandatory: [1, 2, 3, 4], optional: [5, 6, 7, 24, 25, 26] };
const attributesOf = (nodeClass, mandatory, optional = []) => ({
  nodeClass,
  mandatory: [...base.mandatory, ...mandatory],
  optional: [...base.optional, ...optional],
});
const attributes = {
  Object: attributesOf(1, [12]),
  Variable: attributesOf(2, [13, 14, 15, 17, 18, 20], [16, 19, 27]),
  Method: attributesOf(4, [21, 22]),
  ObjectType: attributesOf(8, [8]),
  VariableType: attributesOf(16, [8, 14, 15], [13, 16]),
  ReferenceType: attributesOf(32, [8, 9], [10]),
  DataType: attributesOf(64, [8], [23]),
  View: attributesOf(128, [11, 12]),
};

const method = (name, rest) => ({ name, objectId: n('Method'), methodId: n(`Method.${name}`), inputs: [], ...rest });
const of = (type, value, isArray = Array.isArray(value)) => ({ type, value, ...(isArray ? { isArray } : {}) });
const dataTypes = referenceNodeIds.scalarStatic.map(lastPart);

const methods = [
  method('NoArguments', { outputs: [] }),
  method('Echo', { inputs: [of('String', 'Grüße')], outputs: [of('String', 'Grüße')] }),
  method('Add', { inputs: [of('Double', 2.5), of('Double', 4.25)], outputs: [of('Double', 6.75)] }),
  method('AddInt64', { inputs: [of('Int64', '9007199254740993'), of('Int64', '1')], outputs: [of('Int64', '9007199254740994')] }),
  method('AddInt64', { inputs: [of('Int64', '9223372036854775807'), of('Int64', '1')], status: 'BadOutOfRange' }),
  method('Concatenate', { inputs: [of('String', ['a', '', 'c']), of('String', '-')], outputs: [of('String', 'a--c')] }),
  method('SumArray', { inputs: [of('Double', [1.5, 2.5, 3])], outputs: [of('Double', 7)] }),
  method('InputsOnly', { inputs: [of('Byte', 7), of('LocalizedText', { locale: 'en', text: 'seven' })], outputs: [] }),
  method('OutputsOnly', {}),
  method('EchoScalars', {
    inputs: dataTypes.map((type) => ({ read: n(`Scalar.ReadOnly.${type}`) })),
    outputs: dataTypes.map((_, i) => ({ sameAs: i })),
  }),
  method('EchoArrays', {
    inputs: dataTypes.map((type) => ({ read: n(`Array.ReadOnly.${type}`) })),
    outputs: dataTypes.map((_, i) => ({ sameAs: i })),
  }),
  method('Slow', { inputs: [of('String', 'two seconds')], outputs: [of('String', 'two seconds')] }),
  method('Throws', { status: 'BadInternalError' }),
  method('ThrowsStatus', { status: 'BadInvalidState' }),
  method('NotExecutable', { status: 'BadNotExecutable' }),
  method('NotImplemented', { status: 'BadNotImplemented' }),
  method('Add', { inputs: [of('Double', 1)], status: 'BadArgumentsMissing' }),
  method('Add', { inputs: [of('Double', 1), of('Double', 2), of('Double', 3)], status: 'BadTooManyArguments' }),
  method('Add', { inputs: [of('Double', 1), of('String', 'two')], status: 'BadInvalidArgument' }),
  { ...method('Add', { status: 'BadMethodInvalid' }), methodId: n('Method.Missing') },
];

const int32 = n('Array.Static.Int32');
const indexRanges = [
  { nodeId: int32, range: '1:3', ...of('Int32', [-1, 0, 1]) },
  { nodeId: int32, range: '5', ...of('Int32', [2_147_483_647]) },
  { nodeId: int32, range: '4:99', ...of('Int32', [65_536, 2_147_483_647]) },
  { nodeId: int32, range: '6', status: 'BadIndexRangeNoData' },
  { nodeId: int32, range: '3:1', status: 'BadIndexRangeInvalid' },
  { nodeId: int32, range: '1:1', status: 'BadIndexRangeInvalid' },
  { nodeId: int32, range: 'x', status: 'BadIndexRangeInvalid' },
  { nodeId: n('Scalar.ReadOnly.String'), range: '1:2', ...of('String', 'la') },
  { nodeId: n('Scalar.ReadOnly.ByteString'), range: '0:1', ...of('ByteString', Buffer.from('by').toString('hex')) },
  { nodeId: n('Scalar.ReadOnly.Double'), range: '0', status: 'BadIndexRangeNoData' },
  { nodeId: n('Matrix.ReadOnly.Int32'), range: '1,0:1', ...of('Int32', [1, 65_536]), dimensions: [1, 2] },
];
const indexRangeWrites = [
  { nodeId: int32, range: '1:2', type: 'Int32', write: [-7, 7], after: [-2_147_483_648, -7, 7, 1, 65_536, 2_147_483_647] },
  { nodeId: int32, range: '5:6', type: 'Int32', write: [1, 2], status: 'BadIndexRangeNoData' },
  { nodeId: int32, range: '1:2', type: 'Int32', write: [1, 2, 3], status: 'BadIndexRangeDataMismatch' },
];

const bow = { X: 120.5, Y: 0, Z: -3.25 };
const route = [
  { X: 53.55, Y: 9.99, Z: 0 },
  { X: 51.95, Y: 4.14, Z: 0 },
  { X: 40.67, Y: -74.04, Z: 0 },
];
const cargoList = [{ Weight: 1250.5 }, { Pieces: 42 }, { Labels: ['fragile', '', null] }, { Stowage: bow }];
const structures = [
  { nodeId: n('Structure.Position'), dataType: n('DataType.Position'), value: bow },
  { nodeId: n('Structure.PositionArray'), dataType: n('DataType.Position'), value: route },
  { nodeId: n('Structure.VesselPartly'), dataType: n('DataType.Vessel'), value: { Name: null, Mode: 0, Position: bow, Route: null } },
  {
    nodeId: n('Structure.Vessel'),
    dataType: n('DataType.Vessel'),
    value: {
      Name: 'Bulkhead',
      Mode: 10,
      Position: bow,
      Route: route,
      Draught: 7.75,
      Captain: { locale: 'de', text: 'Käpt’n' },
      Holds: cargoList,
      Arrival: '2026-06-01T06:30:00.000Z',
    },
  },
  {
    nodeId: n('Structure.Tanker'),
    dataType: n('DataType.Tanker'),
    value: {
      Name: 'Tanker',
      Mode: 20,
      Position: bow,
      Route: [],
      Captain: { locale: null, text: null },
      Levels: [0.25, 0.5, 'NaN'],
      Alarms: 0x8001,
    },
  },
  { nodeId: n('Structure.Cargo'), dataType: n('DataType.Cargo'), value: cargoList[1] },
  { nodeId: n('Structure.CargoNone'), dataType: n('DataType.Cargo'), value: {} },
  { nodeId: n('Structure.CargoList'), dataType: n('DataType.Cargo'), value: cargoList },
  { nodeId: n('Structure.Mode'), dataType: n('DataType.Mode'), value: 10 },
  { nodeId: n('Structure.ModeArray'), dataType: n('DataType.Mode'), value: [0, 1, 10, 20] },
  { nodeId: n('Structure.Alarms'), dataType: n('DataType.Alarms'), value: 0x8001 },
];
const vesselFields = ['Name', 'Mode', 'Position', 'Route', 'Draught', 'Captain', 'Holds', 'Arrival'];
const dataTypeDefinitions = [
  { nodeId: 'i=884', name: 'Range', kind: 'Structure', fields: ['Low', 'High'] },
  {
    nodeId: 'i=852',
    name: 'ServerState',
    kind: 'Enum',
    fields: ['Running', 'Failed', 'NoConfiguration', 'Suspended', 'Shutdown', 'Test', 'CommunicationFault', 'Unknown'],
  },
  { nodeId: n('DataType.Position'), name: 'Position', kind: 'Structure', fields: ['X', 'Y', 'Z'] },
  { nodeId: n('DataType.Vessel'), name: 'Vessel', kind: 'StructureWithOptionalFields', fields: vesselFields },
  { nodeId: n('DataType.Tanker'), name: 'Tanker', kind: 'StructureWithOptionalFields', fields: [...vesselFields, 'Levels', 'Alarms'] },
  { nodeId: n('DataType.Cargo'), name: 'Cargo', kind: 'Union', fields: ['Weight', 'Pieces', 'Labels', 'Stowage'] },
  { nodeId: n('DataType.Mode'), name: 'Mode', kind: 'Enum', fields: ['Idle', 'Loading', 'Underway', 'Moored'] },
  { nodeId: n('DataType.Alarms'), name: 'Alarms', kind: 'Enum', fields: ['Fire', 'Flooding', 'Blackout'] },
];

/**
 * The content of config.json: what a client needs to know to play the script. README.md describes every key.
 * @param run `{ url, proxy, serverCertificateFile, client, untrusted }` of this run.
 * @param survey what `surveyNodes` found.
 * @param mainPolicy of the main session; Basic256Sha256 unless told otherwise.
 */
export function makeConfig(run, survey, mainPolicy = 'Basic256Sha256') {
  return {
    ...run,
    user: { name: 'operator', password: 'operator-password' },
    wrongPassword: 'not the password',
    endpoints,
    main: endpoint(mainPolicy, mainPolicy === 'None' ? 'None' : 'SignAndEncrypt'),
    expect: {
      wrongPassword: ['BadUserAccessDenied', 'BadIdentityTokenRejected'],
      untrustedCertificate: ['BadSecurityChecksFailed', 'BadCertificateUntrusted'],
    },
    browse: { startNodeId: 'i=84', maxReferencesPerNode: 10, nodeCount: survey.nodeCount },
    attributes,
    attributeNodes: survey.attributeNodes,
    values: survey.values,
    scalars: pairs('scalarStatic', 'scalarReadOnly'),
    arrays: pairs('arrayStatic', 'arrayReadOnly'),
    matrices: pairs('matrixStatic', 'matrixReadOnly'),
    methods,
    indexRanges,
    indexRangeWrites,
    dataTypes: dataTypeDefinitions,
    structures,
    bench: { nodeIds: referenceNodeIds.bench.slice(0, 100), tickMs: TICK_MS },
    deadband: {
      absolute: { nodeId: n('Scalar.Static.Double'), deadband: 1, base: 10, inside: 10.5, outside: 12 },
      percent: { nodeId: n('Analog.Temperature'), deadband: 10, base: 20, inside: 25, outside: 60 },
    },
    counters: Object.fromEntries(referenceNodeIds.counter.map((nodeId) => [lastPart(nodeId), nodeId])),
    triggering: { triggering: n('Scalar.Static.Int32'), triggered: n('Counter.100ms') },
  };
}

function pairs(writable, readOnly) {
  return Object.fromEntries(
    referenceNodeIds[writable].map((nodeId, i) => [lastPart(nodeId), { writable: nodeId, readOnly: referenceNodeIds[readOnly][i] }]),
  );
}

function lastPart(nodeId) {
  return nodeId.slice(nodeId.lastIndexOf('.') + 1);
}

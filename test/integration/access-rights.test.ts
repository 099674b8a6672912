import {
  AttributeIds,
  type ClientSession,
  DataType,
  type DataValueOptions,
  LocalizedText,
  MessageSecurityMode,
  SecurityPolicy,
  StatusCodes,
  type VariantOptions,
} from 'node-opcua';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encrypted, ForeignClients, putCertificate, unsecured } from '../support/foreign-clients.ts';
import { POLICIES, type ReferenceTestServer, startReferenceTestServer, trustedFolder } from '../support/reference-test-server.ts';
import { observer, operator, validateUser } from '../support/users.ts';

const { Value, AccessLevel, UserAccessLevel } = AttributeIds;
let server: ReferenceTestServer;
let clients: ForeignClients;
/** Sessions by who has them, and how they are secured. */
let anonymous: ClientSession;
let asOperator: ClientSession;
let asObserver: ClientSession;
let signed: ClientSession;

beforeAll(async () => {
  server = await startReferenceTestServer({ security: { policies: POLICIES, allowAnonymous: true, validateUser } });
  clients = await ForeignClients.create();
  putCertificate(clients.certificate, trustedFolder(server));
  anonymous = await clients.session(server.endpointUrl, unsecured);
  asOperator = await clients.session(server.endpointUrl, encrypted, operator);
  asObserver = await clients.session(server.endpointUrl, encrypted, observer);
  signed = await clients.session(server.endpointUrl, {
    securityMode: MessageSecurityMode.Sign,
    securityPolicy: SecurityPolicy.Basic256Sha256,
  });
});

afterAll(async () => {
  await clients.end();
  await server.end();
});

const node = (name: string): string => `ns=2;s=Access.${name}`;
const double = (value = 1): VariantOptions => ({ dataType: DataType.Double, value });

async function readCode(session: ClientSession, name: string): Promise<string> {
  return (await session.read({ nodeId: node(name), attributeId: Value })).statusCode.name;
}

async function writeCode(session: ClientSession, name: string, value: DataValueOptions = { value: double() }): Promise<string> {
  return (await session.write({ nodeId: node(name), attributeId: Value, value })).name;
}

describe('access rights, as a foreign client meets them', () => {
  it.each([
    ['ReadOnly', 'Good', 'BadNotWritable'],
    ['WriteOnly', 'BadNotReadable', 'Good'],
    ['ReadWrite', 'Good', 'Good'],
    ['None', 'BadNotReadable', 'BadNotWritable'],
  ])('of a variable that is %s answer a read with %s and a write with %s', async (name, read, write) => {
    expect([await readCode(anonymous, name), await writeCode(anonymous, name)]).toEqual([read, write]);
  });

  it.each([
    ['ReadWrite', 'BadWriteNotSupported', 'BadWriteNotSupported'],
    ['StatusWrite', 'Good', 'BadWriteNotSupported'],
    ['TimestampWrite', 'BadWriteNotSupported', 'Good'],
    ['StatusAndTimestampWrite', 'Good', 'Good'],
  ])('of %s answer a status with %s and a timestamp with %s', async (name, status, time) => {
    const sourceTimestamp = new Date('2026-01-31T10:20:30.123Z');
    expect(await writeCode(anonymous, name, { value: double(), statusCode: StatusCodes.UncertainInitialValue })).toBe(status);
    expect(await writeCode(anonymous, name, { value: double(), sourceTimestamp })).toBe(time);
    const read = await anonymous.read({ nodeId: node(name), attributeId: Value });
    if (time === 'Good') expect(read.sourceTimestamp).toEqual(sourceTimestamp);
  });

  it('keep a status that was written', async () => {
    await writeCode(anonymous, 'StatusWrite', { value: double(3), statusCode: StatusCodes.UncertainLastUsableValue });
    const { statusCode, value } = await anonymous.read({ nodeId: node('StatusWrite'), attributeId: Value });
    expect([statusCode.name, value.value]).toEqual(['UncertainLastUsableValue', 3]);
  });

  it('depend on the roles of the user', async () => {
    const codes = async (session: ClientSession, name: string): Promise<string[]> => [
      await readCode(session, name),
      await writeCode(session, name),
    ];
    expect(await codes(anonymous, 'OperatorOnly')).toEqual(['BadUserAccessDenied', 'BadUserAccessDenied']);
    expect(await codes(asObserver, 'OperatorOnly')).toEqual(['BadUserAccessDenied', 'BadUserAccessDenied']);
    expect(await codes(asOperator, 'OperatorOnly')).toEqual(['Good', 'Good']);
    expect(await codes(anonymous, 'ObserverReadsOperatorWrites')).toEqual(['BadUserAccessDenied', 'BadUserAccessDenied']);
    expect(await codes(asObserver, 'ObserverReadsOperatorWrites')).toEqual(['Good', 'BadUserAccessDenied']);
    expect(await codes(asOperator, 'ObserverReadsOperatorWrites')).toEqual(['Good', 'Good']);
  });

  it('show in UserAccessLevel', async () => {
    const levels = async (session: ClientSession): Promise<number[]> => {
      const values = await session.read(
        [AccessLevel, UserAccessLevel].map((attributeId) => ({ nodeId: node('ObserverReadsOperatorWrites'), attributeId })),
      );
      return values.map(({ value }) => value.value);
    };
    expect(await levels(anonymous)).toEqual([3, 0]);
    expect(await levels(asObserver)).toEqual([3, 1]);
    expect(await levels(asOperator)).toEqual([3, 3]);
  });

  it('depend on how the channel is secured', async () => {
    const everybody = [anonymous, signed, asOperator];
    const reads = (name: string): Promise<string[]> => Promise.all(everybody.map((session) => readCode(session, name)));
    const writes = (name: string): Promise<string[]> => Promise.all(everybody.map((session) => writeCode(session, name)));
    expect(await reads('SigningRequired')).toEqual(['BadSecurityModeInsufficient', 'Good', 'Good']);
    expect(await writes('SigningRequired')).toEqual(['BadSecurityModeInsufficient', 'Good', 'Good']);
    expect(await reads('EncryptionRequired')).toEqual(['BadSecurityModeInsufficient', 'BadSecurityModeInsufficient', 'Good']);
    expect(await writes('EncryptionRequired')).toEqual(['BadSecurityModeInsufficient', 'BadSecurityModeInsufficient', 'Good']);
  });

  it('of other attributes follow the WriteMask', async () => {
    const nodeId = node('WritableAttributes');
    const write = async (attributeId: AttributeIds, value: VariantOptions): Promise<string> =>
      (await anonymous.write({ nodeId, attributeId, value: { value } })).name;
    const displayName = new LocalizedText({ locale: 'en', text: 'Another name' });
    expect(await write(AttributeIds.DisplayName, { dataType: DataType.LocalizedText, value: displayName })).toBe('Good');
    const read = await anonymous.read({ nodeId, attributeId: AttributeIds.DisplayName });
    expect(read.value.value.text).toBe('Another name');
    expect(await write(AttributeIds.BrowseName, { dataType: DataType.QualifiedName, value: { name: 'X', namespaceIndex: 2 } })).toBe(
      'BadNotWritable',
    );
    expect(await write(AttributeIds.DisplayName, { dataType: DataType.String, value: 'no LocalizedText' })).toBe('BadTypeMismatch');
    expect(await write(AttributeIds.NodeClass, { dataType: DataType.Int32, value: 1 })).toBe('BadNotWritable');
  });

  it('decide who may call a method', async () => {
    const call = async (session: ClientSession): Promise<string> =>
      (await session.call({ objectId: 'ns=2;s=Access', methodId: node('OperatorCalls'), inputArguments: [] })).statusCode.name;
    expect([await call(anonymous), await call(asObserver), await call(asOperator)]).toEqual([
      'BadUserAccessDenied',
      'BadUserAccessDenied',
      'Good',
    ]);
  });
});

describe('a write of a wrong value', () => {
  it.each<[string, string, VariantOptions, string]>([
    ['another type', 'ns=2;s=Scalar.Static.Double', { dataType: DataType.Int32, value: 1 }, 'BadTypeMismatch'],
    ['a text', 'ns=2;s=Scalar.Static.Int64', { dataType: DataType.String, value: '1' }, 'BadTypeMismatch'],
    ['an array to a scalar', 'ns=2;s=Scalar.Static.Double', { dataType: DataType.Double, arrayType: 1, value: [1] }, 'BadTypeMismatch'],
    ['a scalar to an array', 'ns=2;s=Array.Static.Double', { dataType: DataType.Double, value: 1 }, 'BadTypeMismatch'],
    ['what is no Number', 'ns=2;s=Scalar.Static.Number', { dataType: DataType.Boolean, value: true }, 'BadTypeMismatch'],
    ['a state there is not', 'ns=2;s=Discrete.MultiState', { dataType: DataType.UInt32, value: 99 }, 'BadOutOfRange'],
  ])('is refused: %s', async (_, nodeId, value, code) => {
    expect((await anonymous.write({ nodeId, attributeId: Value, value: { value } })).name).toBe(code);
  });
});

import { AttributeIds, DataValue, DateTime, LocalizedText, MessageSecurityMode, StatusCodes, Variant } from '@bulkhead/types';
import { beforeEach, describe, expect, it } from 'vitest';
import { demonstrationUsers } from '../src/configuration.ts';
import { UserList } from '../src/users/user-list.ts';
import { createReferenceSpace, type ReferenceSpace, sessionWith } from './harness.ts';

const anonymous = sessionWith(['Anonymous']);
const observer = sessionWith(['Anonymous', 'AuthenticatedUser', 'Observer']);
const operator = sessionWith(['Anonymous', 'AuthenticatedUser', 'Operator']);
const { Good, BadNotReadable, BadNotWritable, BadUserAccessDenied, BadSecurityModeInsufficient, BadWriteNotSupported } = StatusCodes;

let reference: ReferenceSpace;
beforeEach(async () => {
  reference = await createReferenceSpace();
});

async function readAndWrite(name: string, session = anonymous): Promise<[number, number]> {
  const id = `ns=2;s=Access.${name}`;
  const { statusCode } = await reference.read(id, AttributeIds.Value, session);
  return [statusCode, await reference.write(id, Variant.double(1), session)];
}

describe('a node per access right', () => {
  it.each([
    ['ReadOnly', Good, BadNotWritable],
    ['WriteOnly', BadNotReadable, Good],
    ['ReadWrite', Good, Good],
    ['None', BadNotReadable, BadNotWritable],
  ])('%s', async (name, read, write) => {
    expect(await readAndWrite(name)).toEqual([read, write]);
  });

  it.each([
    ['ReadWrite', BadWriteNotSupported, BadWriteNotSupported],
    ['StatusWrite', Good, BadWriteNotSupported],
    ['TimestampWrite', BadWriteNotSupported, Good],
    ['StatusAndTimestampWrite', Good, Good],
  ])('%s takes a status or a time only where it says so', async (name, status, time) => {
    const id = `ns=2;s=Access.${name}`;
    const withStatus = new DataValue(Variant.double(2), StatusCodes.UncertainInitialValue);
    const withTime = new DataValue(Variant.double(2), Good, DateTime.parse('2020-01-01T00:00:00Z'));
    expect([await reference.write(id, withStatus), await reference.write(id, withTime)]).toEqual([status, time]);
  });

  it.each([
    ['OperatorOnly', [BadUserAccessDenied, BadUserAccessDenied], [BadUserAccessDenied, BadUserAccessDenied], [Good, Good]],
    ['ObserverReadsOperatorWrites', [BadUserAccessDenied, BadUserAccessDenied], [Good, BadUserAccessDenied], [Good, Good]],
  ])('%s goes by role', async (name, forAnonymous, forObserver, forOperator) => {
    expect(await readAndWrite(name, anonymous)).toEqual(forAnonymous);
    expect(await readAndWrite(name, observer)).toEqual(forObserver);
    expect(await readAndWrite(name, operator)).toEqual(forOperator);
  });

  it.each([
    ['SigningRequired', BadSecurityModeInsufficient, Good, Good],
    ['EncryptionRequired', BadSecurityModeInsufficient, BadSecurityModeInsufficient, Good],
  ])('%s goes by the channel', async (name, none, sign, encrypt) => {
    const modes = [MessageSecurityMode.None, MessageSecurityMode.Sign, MessageSecurityMode.SignAndEncrypt];
    const codes = await Promise.all(modes.map(async (mode) => (await readAndWrite(name, sessionWith(['Anonymous'], mode)))[0]));
    expect(codes).toEqual([none, sign, encrypt]);
  });

  it('has attributes that may be written', async () => {
    const name = Variant.scalar(21, new LocalizedText('renamed', 'en'));
    const id = 'ns=2;s=Access.WritableAttributes';
    expect(await reference.write(id, name, anonymous, AttributeIds.DisplayName)).toBe(Good);
    expect((await reference.read(id, AttributeIds.DisplayName)).value?.value).toMatchObject({ text: 'renamed' });
    expect(await reference.write('ns=2;s=Access.ReadWrite', name, anonymous, AttributeIds.DisplayName)).toBe(BadNotWritable);
  });
});

describe('the users of the demonstration', () => {
  const { validate } = new UserList(demonstrationUsers);

  it('get in with their password only, and with their role', async () => {
    expect(await validate('operator', 'operator-password')).toMatchObject({
      name: 'operator',
      roles: expect.arrayContaining([...operator.identity.roles]),
    });
    expect(await validate('operator', 'observer-password')).toBeUndefined();
    expect(await validate('operator', '')).toBeUndefined();
    expect(await validate('nobody', '')).toBeUndefined();
    expect(await validate('__proto__', 'operator-password')).toBeUndefined();
  });
});

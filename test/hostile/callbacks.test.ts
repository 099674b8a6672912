import type { AddressSpace, ObjectNode } from '@bulkhead/opcua';
import { RecordingLogger } from '@bulkhead/testkit';
import {
  BuiltInType,
  CallMethodRequest,
  CallRequest,
  CallResponse,
  DataValue,
  NodeId,
  StatusCodes,
  UaStatusError,
  Variant,
  WriteRequest,
  WriteResponse,
  WriteValue,
} from '@bulkhead/types';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RawSession } from '../support/raw-session.ts';
import { HostileTest } from './bystander.ts';
import { statusName } from './status-names.ts';

/** In the message of everything that is thrown. */
const SECRET = 'the launch code is 4711';
const VALUE_ATTRIBUTE = 13;
const SOURCE_TIMEOUT_MS = 200;
const WITH_SECRET = `${SECRET} at /srv/plant/secrets.ts:12`;

/** What a user's callback can do wrong. What is logged is a mistake of the callback; a StatusCode of its own is not. */
const failures: readonly (readonly [what: string, fail: () => unknown, status: string, isLogged: boolean])[] = [
  ['throws an Error', () => raise(new Error(WITH_SECRET)), 'BadInternalError', true],
  ['throws a UaStatusError', () => raise(new UaStatusError(StatusCodes.BadSensorFailure, WITH_SECRET)), 'BadSensorFailure', false],
  ['throws a text', () => raise(WITH_SECRET), 'BadInternalError', true],
  ['throws undefined', () => raise(undefined), 'BadInternalError', true],
  ['throws what has no prototype', () => raise(Object.assign(Object.create(null), { message: WITH_SECRET })), 'BadInternalError', true],
  [
    'calls itself for ever',
    function endless(): unknown {
      return [endless()];
    },
    'BadInternalError',
    true,
  ],
  ['rejects with an Error', () => Promise.reject(new Error(WITH_SECRET)), 'BadInternalError', true],
  [
    'rejects with a UaStatusError',
    () => Promise.reject(new UaStatusError(StatusCodes.BadSensorFailure, WITH_SECRET)),
    'BadSensorFailure',
    false,
  ],
  ['rejects with null', () => Promise.reject(null), 'BadInternalError', true],
  ['never settles', () => new Promise(() => undefined), 'BadTimeout', true],
];

/** What a callback for a Double may return that is none. */
const wrongValues: readonly (readonly [what: string, give: () => unknown])[] = [
  ['a text', () => SECRET],
  ['an object', () => ({ secret: SECRET })],
  ['a function', () => () => SECRET],
  ['a symbol', () => Symbol(SECRET)],
  ['a Variant of another type', () => Variant.scalar(BuiltInType.String, SECRET)],
  [
    'an object whose conversion throws',
    () => ({ valueOf: () => raise(new Error(WITH_SECRET)), toString: () => raise(new Error(WITH_SECRET)) }),
  ],
  ['an array that contains itself', () => circular()],
  ['a promise of a text', () => Promise.resolve(SECRET)],
];

let hostile: HostileTest;
const log = new RecordingLogger();

beforeAll(async () => {
  hostile = await HostileTest.start({ forbidden: [SECRET], sourceTimeoutMs: SOURCE_TIMEOUT_MS, log }, addNodes);
});

beforeEach(() => void log.records.splice(0));

afterAll(() => hostile.end());

function addNodes(space: AddressSpace): void {
  const object = space.addObject({ browseName: 'Broken', nodeId: 's=Broken' });
  for (const [i, [, fail]] of failures.entries()) addBroken(object, `Failure.${i}`, fail);
  for (const [i, [, give]] of wrongValues.entries()) addBroken(object, `Wrong.${i}`, give);
  object.addMethod({ browseName: 'Fine', nodeId: 's=Fine.call', call: () => [] });
}

function addBroken(object: ObjectNode, name: string, act: () => unknown): void {
  object.addVariable({ browseName: `${name}.read`, nodeId: `s=${name}.read`, dataType: 'Double', read: act });
  object.addVariable({
    browseName: `${name}.write`,
    nodeId: `s=${name}.write`,
    dataType: 'Double',
    value: 1,
    write: () => act() as Promise<number>,
  });
  object.addMethod({
    browseName: `${name}.call`,
    nodeId: `s=${name}.call`,
    outputArguments: [{ name: 'Result', dataType: 'Double' }],
    call: async () => [await act()],
  });
}

function raise(error: unknown): never {
  throw error;
}

function circular(): unknown[] {
  const array: unknown[] = [];
  array.push(array);
  return array;
}

async function read(session: RawSession, name: string): Promise<string> {
  const { results } = await session.read(`ns=1;s=${name}.read`, 'ns=1;s=Bystander');
  expect(results?.[1]?.value?.value).toBe(42);
  return statusName(results?.[0]?.statusCode ?? StatusCodes.Good);
}

async function write(session: RawSession, name: string): Promise<string> {
  const value = new DataValue(Variant.scalar(BuiltInType.Double, 2));
  const nodesToWrite = [WriteValue.create({ nodeId: NodeId.parse(`ns=1;s=${name}.write`), attributeId: VALUE_ATTRIBUTE, value })];
  const { results } = await session.request(WriteRequest, { nodesToWrite }, WriteResponse);
  return statusName(results?.[0] ?? StatusCodes.Good);
}

/** Also calls a method that works, in the same request. */
async function call(session: RawSession, name: string): Promise<string> {
  const methodsToCall = [name, 'Fine'].map((method) =>
    CallMethodRequest.create({ objectId: NodeId.parse('ns=1;s=Broken'), methodId: NodeId.parse(`ns=1;s=${method}.call`) }),
  );
  const { results } = await session.request(CallRequest, { methodsToCall }, CallResponse);
  expect(statusName(results?.[1]?.statusCode ?? StatusCodes.BadUnexpectedError)).toBe('Good');
  return statusName(results?.[0]?.statusCode ?? StatusCodes.Good);
}

async function withSession(use: (session: RawSession) => Promise<void>): Promise<void> {
  await hostile.costsOnlyItsSender(async () => {
    const session = await RawSession.open({ port: hostile.port });
    await use(session);
    await session.close();
  });
}

const logged = (): boolean => log.records.some(({ level }) => level === 'error' || level === 'warn');

describe("an application's callback that fails costs its operation alone and tells the client a StatusCode alone", () => {
  it.each(failures.map((failure, i) => [...failure, i] as const))('read: %s', async (_what, _fail, status, isLogged, i) => {
    await withSession(async (session) => {
      expect(await read(session, `Failure.${i}`)).toBe(status);
    });
    expect(logged()).toBe(isLogged);
  });

  it.each(failures.map((failure, i) => [...failure, i] as const))('write: %s', async (_what, _fail, status, isLogged, i) => {
    await withSession(async (session) => {
      expect(await write(session, `Failure.${i}`)).toBe(status);
    });
    expect(logged()).toBe(isLogged);
  });

  const endingFailures = failures.map((failure, i) => [...failure, i] as const).filter(([what]) => what !== 'never settles');

  it.each(endingFailures)('method: %s', async (_what, _fail, status, isLogged, i) => {
    await withSession(async (session) => {
      expect(await call(session, `Failure.${i}`)).toBe(status);
    });
    expect(logged()).toBe(isLogged);
  });
});

describe('an application that gives what is no Double', () => {
  it.each(wrongValues.map((wrong, i) => [...wrong, i] as const))('read: %s', async (_what, _give, i) => {
    await withSession(async (session) => {
      expect(await read(session, `Wrong.${i}`)).toBe('BadTypeMismatch');
    });
    expect(logged()).toBe(true);
  });

  it.each(wrongValues.map((wrong, i) => [...wrong, i] as const))('method: %s', async (_what, _give, i) => {
    await withSession(async (session) => {
      expect(await call(session, `Wrong.${i}`)).toBe('BadInternalError');
    });
    expect(logged()).toBe(true);
  });
});

import type { DataTypeNode } from '@bulkhead/address-space';
import type { ResourceIsolationOptions } from '@bulkhead/opcua';
import {
  CallMethodRequest,
  CallRequest,
  CallResponse,
  type ExtensionObject,
  NodeId,
  StatusCodes,
  type StructureType,
} from '@bulkhead/types';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../hostile/bystander.ts';
import { statusName } from '../hostile/status-names.ts';
import { RawSession } from '../support/raw-session.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const NOISY = '127.0.0.2';
const QUIET = '127.0.0.3';

let test: TestServer;
let releases: (() => void)[];

afterEach(() => test.end());

async function start(resourceIsolation: ResourceIsolationOptions): Promise<void> {
  releases = [];
  test = await startTestServer(
    (space) => {
      const object = space.addObject({ browseName: 'Methods', nodeId: 's=Methods' });
      object.addMethod({ browseName: 'Held', nodeId: 's=Held', call: () => new Promise((resolve) => releases.push(() => resolve([]))) });
    },
    { resourceIsolation },
  );
}

function call(session: RawSession, objectId: string, methodId: string): number {
  const methodsToCall = [CallMethodRequest.create({ objectId: NodeId.parse(objectId), methodId: NodeId.parse(methodId) })];
  return session.send(CallRequest, { methodsToCall });
}

/** Sends so many calls at a time, of which the first run and are ended then; what they were answered, the refused ones first. */
async function burst(session: RawSession, count: number, runs: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => call(session, 'ns=1;s=Methods', 'ns=1;s=Held'));
  await until(() => releases.length === runs);
  const answers: string[] = [];
  const read = async (requestIds: readonly number[]): Promise<void> => {
    for (const id of requestIds) answers.push(statusName((await session.peer.response(id)).header.serviceResult));
  };
  await read(ids.slice(runs));
  for (const release of releases.splice(0)) release();
  await read(ids.slice(0, runs));
  return answers;
}

type OwnRefusal = Readonly<Record<'Id' | 'Time' | 'Stage' | 'Reason' | 'Usage' | 'Limit' | 'IsShadow', unknown>>;

/** What the client is told of what was refused to it. */
async function ownRefusals(session: RawSession): Promise<OwnRefusal[]> {
  const response = await session.peer.response(call(session, 'ns=1;s=Server.Isolation', 'ns=1;s=Server.Isolation.GetOwnRefusals'));
  const [result] = response.decode(CallResponse).results ?? [];
  expect(result?.statusCode).toBe(StatusCodes.Good);
  const type = test.server.space.getNode(NodeId.parse('ns=1;s=Server.Isolation.ResourceRefusal'));
  const values = result?.outputArguments?.[0]?.value as ExtensionObject[];
  return values.map((value) => value.decode((type as DataTypeNode).structureType as StructureType<OwnRefusal>));
}

describe('refused requests', () => {
  it('BX-05 can be looked up by the caller they were refused to, and by nobody else', async () => {
    await start({ stages: [{ stage: 'RequestQueueBytes', ownerHardLimit: 3 * 4 * 1024 * 1024 }] });
    const noisy = await RawSession.open({ port: test.port, localAddress: NOISY });
    const quiet = await RawSession.open({ port: test.port, localAddress: QUIET });
    const answers = await burst(noisy, 5, 3);
    expect(answers).toEqual(['BadServerTooBusy', 'BadServerTooBusy', 'Good', 'Good', 'Good']);

    const own = await ownRefusals(noisy);
    expect(own).toHaveLength(2);
    for (const entry of own) {
      expect(entry).toMatchObject({
        Stage: 'RequestQueueBytes',
        Reason: 'OwnerLimit',
        Usage: 12_582_912,
        Limit: 12_582_912,
        IsShadow: false,
      });
    }
    expect(await ownRefusals(quiet)).toEqual([]);

    const { isolation } = test.server;
    expect(isolation.refusals().map(({ id }) => id)).toEqual(own.map(({ Id }) => Id));
    const owners = isolation.refusals().map(({ ownerKey }) => ownerKey);
    expect(owners).toEqual([`address:${NOISY}`, `address:${NOISY}`]);
    expect(isolation.owners().find(({ key }) => key === `address:${NOISY}`)).toMatchObject({ refusalCount: 2, usage: { Connection: 1 } });
    expect(isolation.owners().find(({ key }) => key === `address:${NOISY}`)?.executionMs).toBeGreaterThan(0);
    await noisy.close();
    await quiet.close();
  });

  it('BX-06 are served all the same in shadow mode, and only noted', async () => {
    await start({ stages: [{ stage: 'RequestQueueBytes', ownerHardLimit: 3 * 4 * 1024 * 1024, shadow: true }] });
    const noisy = await RawSession.open({ port: test.port, localAddress: NOISY });
    expect(await burst(noisy, 5, 5)).toEqual(['Good', 'Good', 'Good', 'Good', 'Good']);
    const { isolation } = test.server;
    expect(isolation.shadowRefusals).toBe(2);
    expect(isolation.refusals().map(({ isShadow, reason }) => [isShadow, reason])).toEqual([
      [true, 'OwnerLimit'],
      [true, 'OwnerLimit'],
    ]);
    expect((await ownRefusals(noisy)).map(({ IsShadow }) => IsShadow)).toEqual([true, true]);
    await noisy.close();
  });
});

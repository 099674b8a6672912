import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Configuration, defaultConfiguration } from '../src/configuration.ts';
import { startReferenceServer } from '../src/serve.ts';

describe('the reference server', () => {
  let folder: string;
  let configuration: Configuration;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'bulkhead-serve-'));
    configuration = { ...defaultConfiguration, port: 0, pki: join(folder, 'pki') };
  });
  afterAll(() => rm(folder, { recursive: true }));

  function portOf(endpointUrl: string | undefined): number {
    return Number(new URL(endpointUrl?.replace('opc.tcp:', 'http:') ?? '').port);
  }

  function connects(port: number): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
  }

  it('listens where it says, until it is stopped', async () => {
    const server = await startReferenceServer(configuration);
    const port = portOf(server.endpointUrls[0]);
    expect(await connects(port)).toBe(true);
    await server.stop();
    await server.stop();
    expect(await connects(port)).toBe(false);
  });

  it('fails to start, and can be started again, when its port is taken', async () => {
    const server = await startReferenceServer(configuration);
    const port = portOf(server.endpointUrls[0]);
    await expect(startReferenceServer({ ...configuration, port })).rejects.toThrow('EADDRINUSE');
    await server.stop();
    const second = await startReferenceServer({ ...configuration, port });
    await second.stop();
  });

  it('offers what the configuration says: no users without a list of them', async () => {
    await expect(startReferenceServer({ ...configuration, users: [], allowAnonymous: false })).rejects.toThrow('security.validateUser');
  });
});

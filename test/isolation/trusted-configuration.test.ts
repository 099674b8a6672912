import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultConfiguration, parseConfiguration, startReferenceServer } from '@bulkhead/reference-server';
import { RawUacpPeer } from '@bulkhead/testkit';
import { describe, expect, it } from 'vitest';

describe('a server that is started from a configuration file', () => {
  it('RI-05 keeps places for the trusted owners of its file, by where they come from', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'bulkhead-classifiers-'));
    const section = {
      ResourceIsolation: { Mode: 'TrustedReservations', TrustedOwners: [{ Key: 'scada' }] },
      // Three tokens of four are kept: for Bootstrap, Reconnect and the trusted owner.
      RateLimits: { ConnectionsPerSecond: 4, ConnectionBurst: 4 },
      Classifiers: [{ Key: 'scada', OwnerClass: 'Trusted', AddressRanges: ['127.0.0.9'] }],
    };
    const file = parseConfiguration(JSON.stringify({ limits: { maxMessageSize: 1_048_576 }, OpcUa: { Server: section } }), 'c.json');
    const server = await startReferenceServer({
      ...defaultConfiguration,
      ...(file as Partial<typeof defaultConfiguration>),
      port: 0,
      pki: folder,
    });
    const port = Number(new URL(server.endpointUrls[0] ?? '').port);
    const hello = async (localAddress: string): Promise<boolean> => {
      const peer = await RawUacpPeer.connect({ port, localAddress });
      const isIn = await peer.hello().then(
        () => true,
        () => false,
      );
      await peer.destroy();
      return isIn;
    };
    const storm = await Promise.all(Array.from({ length: 20 }, () => hello('127.0.0.2')));
    expect(storm).toContain(false);
    expect(await hello('127.0.0.9')).toBe(true);
    await server.stop();
    await rm(folder, { recursive: true });
  });
});

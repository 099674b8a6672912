import { describe, expect, it } from 'vitest';
import type { ConfigurationJson } from '../src/configuration/file-schema.ts';
import { applyLimitFlags, type LimitFlags } from '../src/configuration/limit-flags.ts';
import { loadConfiguration } from '../src/configuration/load-configuration.ts';
import { planReferenceServer, serverOptionsOf } from '../src/server-options.ts';

async function optionsOf(flags: LimitFlags) {
  const { configuration } = await loadConfiguration({ flags });
  return { options: serverOptionsOf(configuration), plan: planReferenceServer(configuration) };
}

const apply = (configuration: ConfigurationJson, flags: LimitFlags): ConfigurationJson => applyLimitFlags(configuration, flags, () => 2);

describe('limits of the command line', () => {
  it('LM-11 --rate bounds new connections and HTTPS requests per second; 0 leaves both without a limit', async () => {
    const { options } = await optionsOf({ rate: 40 });
    expect(options.rateLimits).toMatchObject({ connectionRateLimitEnabled: true, connectionsPerSecond: 40, connectionBurst: 40 });
    expect(options.httpsRateLimits).toEqual({ requestsPerWindow: 40, windowMs: 1000 });
    const unlimited = apply(
      { rateLimits: { connectionsPerSecond: 9 }, https: { json: false, rateLimits: { requestsPerWindow: 9 } } },
      { rate: 0 },
    );
    expect(unlimited.rateLimits).toEqual({ connectionsPerSecond: 9, connectionRateLimitEnabled: false });
    expect(unlimited.https).toEqual({ json: false });
  });

  it('LM-11 --throttle holds each connection to bytes per second, each way; 0 takes that away', async () => {
    const { options } = await optionsOf({ throttle: 100_000 });
    const rate = { bytesPerSecond: 100_000 };
    expect(options.bandwidth).toEqual({ perConnection: { read: rate, write: rate } });
    expect(apply({ bandwidth: { total: rate, perConnection: { read: rate } } }, { throttle: 0 }).bandwidth).toEqual({ total: rate });
  });

  it('LM-11 --concurrent bounds connections, with as many Sessions as have room beside the reserves; 0 takes the limit away', async () => {
    const { options, plan } = await optionsOf({ concurrent: 20 });
    expect(options).toMatchObject({ maxChannelCount: 20, maxSessionCount: 17 });
    expect(plan.stages[0]).toMatchObject({ total: 20, shared: 18 });
    expect((await optionsOf({ concurrent: 5000 })).options).toMatchObject({ maxChannelCount: 5000, maxSessionCount: 100 });
    expect(apply({ limits: { maxChannelCount: 7, maxSessionCount: 3 } }, { concurrent: 0 }).limits).toEqual({ maxSessionCount: 3 });
  });

  it('LM-11 --timeout bounds how long a connection may take to open, and a web request to arrive; 0 brings the defaults', async () => {
    const { options } = await optionsOf({ timeout: 5 });
    expect(options).toMatchObject({ handshakeTimeoutMs: 5000, helloTimeoutMs: 5000 });
    expect(options.webPort).toMatchObject({ startUpTimeoutMs: 5000, headersTimeoutMs: 5000, requestTimeoutMs: 5000 });
    const standard = (await optionsOf({ timeout: 0 })).options;
    expect(standard.handshakeTimeoutMs).toBeUndefined();
    expect(standard.webPort).not.toHaveProperty('requestTimeoutMs');
  });

  it.each<[ConfigurationJson, LimitFlags, RegExp]>([
    [{ rateLimits: { enabled: false } }, { rate: 5 }, /^--rate: rateLimits\.enabled is false/u],
    [{}, { concurrent: 3 }, /^--concurrent: 3 leave no place for a Session beside what is kept; at least 4 are wanted/u],
    [{}, { timeout: 121 }, /^--timeout: 121 s are longer/u],
    [{ resourceIsolation: { handshakeTimeout: '00:00:09' } }, { timeout: 5 }, /^--timeout: resourceIsolation has a handshakeTimeout/u],
  ])('LM-11 refuses what makes no sense with the configuration, and says why: %j %j', (configuration, flags, message) => {
    expect(() => apply(configuration, flags)).toThrow(message);
  });
});

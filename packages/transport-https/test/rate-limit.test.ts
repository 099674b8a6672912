import { createEventLoopRuntime, ManualClock } from '@bulkhead/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { HttpsRateLimiter } from '../src/index.ts';
import { HttpsTestServer, readRequest } from './https-server.ts';

const here = { remoteAddress: '10.0.0.1' };
const there = { remoteAddress: '10.0.0.2' };

/** How many of `count` requests at one time may go on. */
function admitted(limiter: HttpsRateLimiter, count: number, nowMs: number, route = '/'): number {
  let taken = 0;
  for (let i = 0; i < count; i++) if (limiter.check(here, route, nowMs) === 0) taken++;
  return taken;
}

describe('HttpsRateLimiter', () => {
  it('RL-10 lets 100 requests into each second of everybody together, and says when the next begins', () => {
    const limiter = new HttpsRateLimiter();
    expect(admitted(limiter, 150, 5000)).toBe(100);
    expect(limiter.check(there, '/', 5400)).toBe(600);
    expect(limiter.check(there, '/', 5999)).toBe(1);
    expect(admitted(limiter, 150, 6000)).toBe(100);
  });

  it('RL-10 bounds single routes, and other routes have what is left', () => {
    const limiter = new HttpsRateLimiter({ requestsPerWindow: 10, windowMs: 2000, routes: { '/read': 2 } });
    expect(admitted(limiter, 5, 0, '/read')).toBe(2);
    expect(limiter.check(here, '/read', 500)).toBe(1500);
    expect(admitted(limiter, 20, 500, '/write')).toBe(8);
  });

  it('RL-10 bounds each client by its address, and one that comes too often takes nothing from others', () => {
    const limiter = new HttpsRateLimiter({ requestsPerWindow: 100, requestsPerClient: 5 });
    expect(admitted(limiter, 200, 0)).toBe(5);
    expect(limiter.check(here, '/', 0)).toBeGreaterThan(0);
    for (let i = 0; i < 5; i++) expect(limiter.check(there, '/', 0)).toBe(0);
  });

  it('takes the word of a trusted proxy about its clients', () => {
    const limiter = new HttpsRateLimiter({ requestsPerClient: 1, trustedProxies: ['10.0.0.0/24'], header: 'x-forwarded-for' });
    const behind = (client: string) => ({ ...here, headers: { 'x-forwarded-for': client } });
    expect(limiter.check(behind('192.0.2.1'), '/', 0)).toBe(0);
    expect(limiter.check(behind('192.0.2.2'), '/', 0)).toBe(0);
    expect(limiter.check(behind('192.0.2.1'), '/', 0)).toBeGreaterThan(0);
  });

  it('refuses options that make no sense, by name', () => {
    expect(() => new HttpsRateLimiter({ requestsPerWindow: 0 })).toThrow(/requestsPerWindow/u);
    expect(() => new HttpsRateLimiter({ windowMs: 0 })).toThrow(/windowMs/u);
    expect(() => new HttpsRateLimiter({ routes: { '/read': -1 } })).toThrow(/routes\.\/read/u);
    expect(() => new HttpsRateLimiter({ requestsPerClient: 0.5 })).toThrow(/requestsPerClient/u);
  });
});

describe('HttpsTransport with a rate limiter', () => {
  let server: HttpsTestServer;
  afterEach(() => server.stop());

  it('RL-10 answers 429 with Retry-After, keeps the connection, and reads no body for it', async () => {
    const clock = new ManualClock();
    server = await HttpsTestServer.start({
      runtime: { ...createEventLoopRuntime(), clock },
      rateLimiter: new HttpsRateLimiter({ requestsPerWindow: 1, windowMs: 3000 }),
    });
    const peer = server.connect();
    peer.post(readRequest());
    expect(await peer.statuses(1)).toEqual([200]);
    peer.post(readRequest());
    expect(await peer.statuses(2)).toEqual([200, 429]);
    expect(peer.received).toMatch(/retry-after: 3\r\n/iu);
    clock.advance(3000);
    peer.post(readRequest());
    expect(await peer.statuses(3)).toEqual([200, 429, 200]);
  });
});

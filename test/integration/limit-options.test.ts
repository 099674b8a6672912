import type { IncomingHttpHeaders } from 'node:http';
import { Agent, request } from 'node:https';
import { RawUacpPeer } from '@bulkhead/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { ServerProcess } from '../support/server-process.ts';

const RATE = 20;
/** Far more than the rate lets in while they come. */
const STORM = 120;

let server: ServerProcess;
afterEach(() => server.end());

/** Starts the server with these options. @returns the ports of opc.tcp and of the web */
async function start(...args: string[]): Promise<{ readonly port: number; readonly webPort: number }> {
  server = await ServerProcess.start({}, args);
  const { endpoints } = (await server.next('ready')) as unknown as { endpoints: string[] };
  const portOf = (scheme: string): number => Number(new URL(endpoints.find((url) => url.startsWith(scheme)) ?? '').port);
  return { port: portOf('opc.tcp:'), webPort: portOf('opc.https:') };
}

/** Connects that many at once, which stay. @returns those that the server says Hello to */
async function helloStorm(port: number, count: number): Promise<{ readonly isIn: number; end(): Promise<void> }> {
  const peers = await Promise.all(Array.from({ length: count }, () => RawUacpPeer.connect({ port })));
  const answers = await Promise.allSettled(peers.map((peer) => peer.hello()));
  return {
    isIn: answers.filter(({ status }) => status === 'fulfilled').length,
    end: async () => void (await Promise.all(peers.map((peer) => peer.destroy()))),
  };
}

function post(port: number, agent: Agent): Promise<{ readonly statusCode: number | undefined; readonly headers: IncomingHttpHeaders }> {
  return new Promise((resolve, reject) => {
    const sent = request({ port, agent, host: '127.0.0.1', method: 'POST', path: '/', headers: { 'content-type': 'application/json' } });
    sent.once('error', reject).once('response', ({ statusCode, headers }) => resolve({ statusCode, headers }));
    sent.once('response', (response) => response.resume());
    sent.end('{}');
  });
}

describe('limits of the command line on a running server', () => {
  it('LM-11 --rate turns away connections beyond the rate, and HTTPS requests with 429 and Retry-After', async () => {
    const { port, webPort } = await start('--rate', `${RATE}`);
    const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
    const answers: Awaited<ReturnType<typeof post>>[] = [];
    for (let sent = 0; sent <= 2 * RATE; sent++) answers.push(await post(webPort, agent));
    agent.destroy();
    const refused = answers.find(({ statusCode }) => statusCode === 429);
    expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(0);
    expect(answers[0]?.statusCode).not.toBe(429);

    const storm = await helloStorm(port, STORM);
    expect(storm.isIn).toBeGreaterThan(0);
    expect(storm.isIn).toBeLessThan(STORM);
    await storm.end();
  });

  it('LM-11 --rate 0 lets as many connect as there are places', async () => {
    const { port } = await start('--rate', '0', '--concurrent', `${STORM + 10}`);
    const storm = await helloStorm(port, STORM);
    expect(storm.isIn).toBe(STORM);
    await storm.end();
  });

  it('LM-11 --concurrent bounds connections at a time', async () => {
    const { port } = await start('--concurrent', '6');
    const storm = await helloStorm(port, 20);
    expect(storm.isIn).toBeGreaterThan(0);
    expect(storm.isIn).toBeLessThanOrEqual(6);
    await storm.end();
  });

  it('LM-11 --timeout closes a connection that doesn’t say who it is', async () => {
    const { port, webPort } = await start('--timeout', '1');
    const startedMs = performance.now();
    const silent = await Promise.all([port, webPort].map((to) => RawUacpPeer.connect({ port: to })));
    await Promise.all(silent.map(({ closed }) => closed));
    // Without the option it takes 10 s.
    expect(performance.now() - startedMs).toBeLessThan(8000);
  });
});

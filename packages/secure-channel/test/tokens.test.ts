import type { ChannelIdentity } from '@bulkhead/secure-channel';
import { SecurityPolicies } from '@bulkhead/security';
import { MessageSecurityMode, StatusCodes } from '@bulkhead/types';
import { beforeAll, describe, expect, it } from 'vitest';
import { ChannelPair, codeOf, makeIdentity, pattern } from './channel-pair.ts';

let clientIdentity: ChannelIdentity;
let serverIdentity: ChannelIdentity;

beforeAll(async () => {
  [clientIdentity, serverIdentity] = await Promise.all([makeIdentity('client'), makeIdentity('server')]);
});

function securePair(): ChannelPair {
  const policy = SecurityPolicies.Basic256Sha256;
  return new ChannelPair({ policy, mode: MessageSecurityMode.SignAndEncrypt, clientIdentity, serverIdentity });
}

const tokenIdOf = (chunks: readonly Buffer[]): number => (chunks[0] as Buffer).readUInt32LE(12);

describe('security tokens', () => {
  it('server keeps sending with the old token until the client uses the new one', async () => {
    const pair = securePair();
    await pair.open();
    await pair.open(2);
    const beforeUse = pair.respond(3, pattern(10));
    expect(tokenIdOf(beforeUse)).toBe(1);
    const request = pair.request(4, pattern(10));
    expect(tokenIdOf(request)).toBe(2);
    await pair.toServer(request);
    const afterUse = pair.respond(4, pattern(10));
    expect(tokenIdOf(afterUse)).toBe(2);
    expect((await pair.toClient([...beforeUse, ...afterUse])).map((event) => event.kind)).toEqual(['message', 'message']);
  });

  it('server takes messages under the old token until the client uses the new one, and not afterwards', async () => {
    const pair = securePair();
    await pair.open();
    // The client renews; before it sees the answer it still sends with the old token.
    const renewal = await pair.openServer(2);
    const early = pair.request(3, pattern(10));
    expect(tokenIdOf(early)).toBe(1);
    expect((await pair.toServer(early))[0]?.kind).toBe('message');
    if (renewal.kind !== 'opened') throw new Error('not renewed');
    await pair.toClient(renewal.chunks);
    await pair.toServer(pair.request(4, pattern(10)));
    const late = Buffer.from(early[0] as Buffer);
    expect(await codeOf(() => pair.toServer([late]))).toBe(StatusCodes.BadSecureChannelTokenUnknown);
    expect(pair.server.isOpen).toBe(false);
  });

  it('client takes messages under the old token until the server uses the new one, and not afterwards', async () => {
    const pair = securePair();
    await pair.open();
    const [old] = pair.respond(2, pattern(10)) as [Buffer];
    await pair.toClient([old]);
    await pair.open(3);
    await pair.exchange(4, pattern(10));
    expect(await codeOf(() => pair.toClient([old]))).toBe(StatusCodes.BadSecureChannelTokenUnknown);
  });

  it('server changes to the new token when the old one expires, used or not', async () => {
    const pair = securePair();
    await pair.open();
    pair.clock.now += 7500;
    await pair.open(2);
    pair.clock.now = 10_999;
    expect(tokenIdOf(pair.respond(3, pattern(1)))).toBe(1);
    pair.clock.now = 11_000;
    expect(tokenIdOf(pair.respond(3, pattern(1)))).toBe(2);
  });

  it('takes messages under a token up to 125 % of its lifetime', async () => {
    const pair = securePair();
    await pair.open();
    const [first, second] = [pair.request(2, pattern(1)), pair.request(3, pattern(1))];
    pair.clock.now = 1000 + 12_499;
    expect((await pair.toServer(first))[0]?.kind).toBe('message');
    pair.clock.now = 1000 + 12_500;
    expect(await codeOf(() => pair.toServer(second))).toBe(StatusCodes.BadSecureChannelTokenUnknown);
  });

  it('has a deadline: the newest token at 125 % of its lifetime', async () => {
    const pair = securePair();
    expect(pair.server.nextDeadlineMs()).toBe(Number.POSITIVE_INFINITY);
    await pair.open();
    expect(pair.server.nextDeadlineMs()).toBe(13_500);
    pair.clock.now += 5000;
    await pair.open(2);
    expect(pair.server.nextDeadlineMs()).toBe(18_500);
    expect(pair.client.nextDeadlineMs()).toBe(18_500);
    expect(pair.client.renewalDueMs).toBe(13_500);
    expect(pair.server.checkDeadlines(18_499)).toBeUndefined();
    expect(pair.server.checkDeadlines(18_500)?.statusCode).toBe(StatusCodes.BadSecureChannelTokenUnknown);
    expect(pair.client.checkDeadlines(18_500)?.statusCode).toBe(StatusCodes.BadSecureChannelTokenUnknown);
  });

  it('grants lifetimes between its minimum and its maximum only', async () => {
    for (const [asked, granted] of [
      [0, 1000],
      [999, 1000],
      [1001, 1001],
      [3_600_001, 3_600_000],
      [0xffffffff, 3_600_000],
    ] as const) {
      const pair = new ChannelPair({ client: { requestedLifetimeMs: asked } });
      const event = await pair.openServer();
      if (event.kind !== 'opened') throw new Error('not opened');
      const [opened] = await pair.toClient(event.chunks);
      expect(opened).toEqual({ kind: 'opened', renewal: false, requestId: 1, revisedLifetimeMs: granted });
    }
  });

  it('gives each token an id of its own', async () => {
    const pair = securePair();
    const ids: number[] = [];
    for (let i = 1; i <= 5; i++) {
      await pair.open(i);
      ids.push(tokenIdOf(pair.request(i, pattern(1))));
      await pair.toServer(pair.request(i, pattern(1))).catch(() => undefined);
      if (!pair.server.isOpen) break;
    }
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('keeps the order of SequenceNumbers when responses are encoded while a renewal is being signed', async () => {
    const pair = securePair();
    await pair.open();
    const renewal = pair.openServer(2);
    const direct: Buffer[] = [];
    const isDone = renewal.then(() => true);
    let requestId = 100;
    while (!(await Promise.race([isDone, new Promise<boolean>((resolve) => setImmediate(resolve, false))]))) {
      direct.push(...pair.respond(requestId++, pattern(100)));
    }
    const event = await renewal;
    if (event.kind !== 'opened') throw new Error('not renewed');
    expect(event.chunks.length + direct.length).toBe(requestId - 100 + 1);
    expect(event.chunks.length).toBeGreaterThan(1);
    const kinds = (await pair.toClient([...direct, ...event.chunks, ...pair.respond(50, pattern(1))])).map((each) => each.kind);
    expect(kinds.filter((kind) => kind === 'opened')).toHaveLength(1);
    expect(kinds.filter((kind) => kind === 'message')).toHaveLength(requestId - 100 + 1);
  });

  it('keeps the order of SequenceNumbers when requests are encoded while a renewal is being signed', async () => {
    const pair = securePair();
    await pair.open();
    const renewal = pair.client.renew(2);
    expect(pair.request(3, pattern(10))).toEqual([]);
    const events = await pair.toServer([...(await renewal), ...pair.request(4, pattern(1))]);
    expect(events.map((event) => event.kind)).toEqual(['opened', 'message', 'message']);
  });
});

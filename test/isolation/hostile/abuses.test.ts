import {
  type Abuse,
  burningCalls,
  connectStorm,
  deafSubscribers,
  halfSenders,
  hog,
  hogBehindOneAddress,
  hogsOverTheWeb,
  publishFlood,
  silentConnections,
  slowCalls,
  tlsStorm,
  unactivatedSessions,
  waitingCalls,
} from '@bulkhead/benchmarks';
import { MiB } from '@bulkhead/opcua';
import { describe, expect, it } from 'vitest';
import { type AbuseRecord, abuseServer } from './abused-server.ts';

/** What a server with its defaults may hold of unfinished messages and for callers, and what may come on top of it. */
const MAX_RSS_GROWTH = (64 + 256 + 64) * MiB;
/** What the abusers have themselves, who share the process. */
const ABUSERS_BYTES = 128 * MiB;
/** Code and pools of buffers among it. */
const MAX_KEPT_BYTES = 64 * MiB;
/** Far above what a fair server takes, far below what a client sees that is held up. */
const MAX_ANSWER_MS = 5000;

async function expectUnharmed(abuse: Abuse): Promise<AbuseRecord> {
  const record = await abuseServer(abuse);
  const { alone, abused, newcomers, left } = record;
  console.log(
    `${abuse.name}: p99 ${alone.p99Ms.toFixed(2)} ms alone, ${abused.p99Ms.toFixed(2)} ms under abuse, ${(abused.p99Ms / alone.p99Ms).toFixed(1)} times`,
  );
  expect(abused.errors).toEqual([]);
  expect(abused.maxMs).toBeLessThan(MAX_ANSWER_MS);
  expect(newcomers?.errors ?? []).toEqual([]);
  if (abuse.admitsNewcomers === true) expect(newcomers?.latency.count).toBeGreaterThan(0);
  expect(left).toEqual({});
  expect(record.rssGrowthBytes).toBeLessThan(MAX_RSS_GROWTH + ABUSERS_BYTES);
  expect(record.keptBytes).toBeLessThan(MAX_KEPT_BYTES);
  return record;
}

describe('beside a polite client that reads one value at a time', () => {
  it('a hog with 1,000 large Reads in flight has a few of them answered before each Read of the other', async () => {
    const { abused, mostInBetween, counts } = await expectUnharmed(hog);
    expect(counts.responses).toBeGreaterThan(100);
    expect(abused.answers).toBeGreaterThan(20);
    expect(mostInBetween).toBeLessThan(200);
  });

  it('BX-01 a hog behind the same address has about one of each of its 20 Sessions answered before each Read of the other', async () => {
    const { abused, mostInBetween, counts } = await expectUnharmed(hogBehindOneAddress);
    expect(counts.responses).toBeGreaterThan(100);
    expect(abused.answers).toBeGreaterThan(5);
    expect(mostInBetween).toBeLessThan(200);
  });

  it.each(hogsOverTheWeb.map((abuse) => [abuse.name, abuse] as const))(
    'a %s has a few Reads answered before each of the other',
    async (_name, abuse) => {
      const { abused, mostInBetween, counts } = await expectUnharmed(abuse);
      expect(counts.responses).toBeGreaterThan(100);
      expect(abused.answers).toBeGreaterThan(20);
      expect(mostInBetween).toBeLessThan(200);
    },
  );

  it('200 connections that begin messages and stop fill what is meant for them, and keep out nobody', async () => {
    const { counts, abused } = await expectUnharmed(halfSenders);
    expect(counts.connections).toBeGreaterThan(100);
    expect(abused.answers).toBeGreaterThan(20);
  });

  it('200 peers that open secured channels as fast as they can keep out nobody', async () => {
    const { counts, abused } = await expectUnharmed(connectStorm);
    expect(counts.responses).toBeGreaterThan(20);
    expect(abused.answers).toBeGreaterThan(20);
  });

  it('BX-04 200 peers that begin TLS as fast as they can keep out nobody', async () => {
    const { abused } = await expectUnharmed(tlsStorm);
    expect(abused.answers).toBeGreaterThan(20);
  });

  it('200 peers that connect and never send keep out nobody', async () => {
    const { counts, abused } = await expectUnharmed(silentConnections);
    expect(counts.connections).toBeGreaterThan(100);
    expect(abused.answers).toBeGreaterThan(100);
  });

  it('as many Sessions as may be, created and never activated, give way to clients that mean it', async () => {
    const { counts, abused } = await expectUnharmed(unactivatedSessions);
    expect(counts.responses).toBeGreaterThan(100);
    expect(abused.answers).toBeGreaterThan(20);
  });

  it('clients that ask for 10,000 changing items and stop reading are bounded', async () => {
    const { counts, abused } = await expectUnharmed(deafSubscribers);
    expect(counts.requests).toBeGreaterThan(100);
    expect(abused.answers).toBeGreaterThan(20);
  });

  it('clients that send Publish requests without end are told at once that these are too many', async () => {
    const { counts, abused } = await expectUnharmed(publishFlood);
    expect(counts.responses).toBeGreaterThan(1000);
    expect(abused.answers).toBeGreaterThan(20);
  });

  it('slow method calls of ten callers leave slots to one that has nothing running', async () => {
    const { counts, abused } = await expectUnharmed(slowCalls);
    expect(counts.responses).toBeGreaterThan(50);
    expect(abused.answers).toBeGreaterThan(50);
  });

  it('slow method calls that park leave the execution slots to others', async () => {
    const { abused, counts } = await expectUnharmed(waitingCalls);
    expect(counts.requests).toBeGreaterThan(200);
    expect(abused.answers).toBeGreaterThan(50);
  });

  it('400 method calls that compute have a few of them answered before each Read of the other', async () => {
    const { abused, mostInBetween, counts } = await expectUnharmed(burningCalls);
    expect(counts.responses).toBeGreaterThan(50);
    expect(abused.answers).toBeGreaterThan(20);
    expect(mostInBetween).toBeLessThan(100);
  });
});

import type { ByteTransportEvents } from '@bulkhead/contracts';
import { BandwidthThrottle } from '@bulkhead/limits';
import { ManualClock } from '@bulkhead/testkit';
import { describe, expect, it } from 'vitest';
import { ThrottledTransport } from '../src/index.ts';
import { FakeTransport } from './fake-transport.ts';

const quiet: ByteTransportEvents = { onBytes: () => undefined, onDrain: () => undefined, onClosed: () => undefined };
const rate = { bytesPerSecond: 1000, burstBytes: 100 };

describe('ThrottledTransport', () => {
  it('LM-07 paces what the client writes, and ends only when all is sent', () => {
    const [inner, clock] = [new FakeTransport(), new ManualClock()];
    const transport = new ThrottledTransport(inner, new BandwidthThrottle({ mode: 'PerConn', write: rate }).attach(), {
      clock,
      timers: clock,
    });
    transport.start(quiet);
    transport.write([Buffer.alloc(600)]);
    transport.end();
    expect([inner.writtenBytes, transport.unsentBytes]).toEqual([100, 500]);
    clock.advance(250);
    expect(inner.writtenBytes).toBe(300);
    expect(inner.ended).toBe(0);
    clock.advance(250);
    expect([inner.writtenBytes, transport.unsentBytes, inner.ended]).toEqual([600, 0, 1]);
  });

  it('LM-07 stops reading until what came is paid for, unless the connection wants it stopped longer', () => {
    const [inner, clock] = [new FakeTransport(), new ManualClock()];
    const transport = new ThrottledTransport(inner, new BandwidthThrottle({ mode: 'PerConn', read: rate }).attach(), {
      clock,
      timers: clock,
    });
    let received = 0;
    transport.start({ ...quiet, onBytes: (bytes) => (received += bytes.length) });
    inner.events.onBytes(Buffer.alloc(300));
    expect([received, inner.isReading]).toEqual([300, false]);
    clock.advance(199);
    expect(inner.isReading).toBe(false);
    transport.pause();
    clock.advance(1);
    expect(inner.isReading).toBe(false);
    transport.resume();
    expect(inner.isReading).toBe(true);
  });

  it('LM-07 spends one budget for both directions and all connections when it is shared, and leaves no timer behind', () => {
    const clock = new ManualClock();
    const throttle = new BandwidthThrottle({ mode: 'Shared', total: rate });
    const inners = [new FakeTransport(), new FakeTransport()];
    const [a, b] = inners.map((inner) => new ThrottledTransport(inner, throttle.attach(), { clock, timers: clock })) as [
      ThrottledTransport,
      ThrottledTransport,
    ];
    a.start(quiet);
    b.start(quiet);
    inners[0]?.events.onBytes(Buffer.alloc(100));
    b.write([Buffer.alloc(100)]);
    expect(inners[1]?.writtenBytes).toBe(0);
    clock.advance(100);
    expect(inners[1]?.writtenBytes).toBe(100);
    b.write([Buffer.alloc(1000)]);
    a.destroy();
    b.destroy();
    expect(clock.pendingTimers).toBe(0);
  });
});

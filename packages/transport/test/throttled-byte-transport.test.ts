import type { ByteTransportEvents } from '@bulkhead/contracts';
import { BandwidthThrottle, ThrottleStack } from '@bulkhead/limits';
import { ManualClock, ManualTurns, MemoryTransportPair } from '@bulkhead/testkit';
import { describe, expect, it } from 'vitest';
import { ThrottledByteTransport } from '../src/index.ts';

const KIB = 1024;

/** Takes note of what it is told. */
class Driver implements ByteTransportEvents {
  receivedBytes = 0;
  drains = 0;
  isClosed = false;

  onBytes(bytes: Buffer): void {
    this.receivedBytes += bytes.length;
  }

  onDrain(): void {
    this.drains++;
  }

  onClosed(): void {
    this.isClosed = true;
  }
}

class Bench {
  readonly clock: ManualClock = new ManualClock();
  readonly turns: ManualTurns = new ManualTurns();

  /** A throttled side and its peer. */
  connect(throttle: BandwidthThrottle | ThrottleStack): {
    throttled: ThrottledByteTransport;
    driver: Driver;
    peer: Driver;
    pair: MemoryTransportPair;
  } {
    const pair = new MemoryTransportPair(this.turns);
    const throttled = new ThrottledByteTransport(pair.server, throttle.attach(), { clock: this.clock, timers: this.clock });
    const driver = new Driver();
    const peer = new Driver();
    throttled.drivenBy(driver);
    pair.server.start(throttled);
    pair.client.start(peer);
    return { throttled, driver, peer, pair };
  }

  /** Lets time pass ms by ms, with everything that arrives meanwhile. */
  run(ms: number, each: () => void = () => {}): void {
    for (let i = 0; i < ms; i++) {
      each();
      this.turns.runAll();
      this.clock.advance(1);
    }
    this.turns.runAll();
  }
}

const second = 1000;
/** What passed beyond the first burst, against what the rate allows. */
function rateError(bytes: number, bytesPerSecond: number, burstBytes: number): number {
  return Math.abs((bytes - burstBytes) / (bytesPerSecond * 10) - 1);
}

describe('a throttled transport', () => {
  it('LM-07 paces what is written to the rate of its connection', () => {
    const bench = new Bench();
    const { throttled, peer } = bench.connect(
      new BandwidthThrottle({ mode: 'PerConn', write: { bytesPerSecond: 100 * KIB, burstBytes: 5 * KIB } }),
    );
    throttled.write([Buffer.alloc(4000 * KIB)]);
    bench.run(10 * second);
    expect(rateError(peer.receivedBytes, 100 * KIB, 5 * KIB)).toBeLessThan(0.01);
    expect(throttled.unsentBytes).toBe(4000 * KIB - peer.receivedBytes);
  });

  it('LM-07 reads no faster than the rate of its connection, and holds the peer back meanwhile', () => {
    const bench = new Bench();
    const { driver, pair } = bench.connect(
      new BandwidthThrottle({ mode: 'PerConn', read: { bytesPerSecond: 100 * KIB, burstBytes: 5 * KIB } }),
    );
    bench.run(10 * second, () => {
      if (pair.client.unsentBytes < 8 * KIB) pair.client.write([Buffer.alloc(8 * KIB)]);
    });
    expect(rateError(driver.receivedBytes, 100 * KIB, 5 * KIB)).toBeLessThan(0.02);
    expect(pair.server.isPaused).toBe(true);
  });

  it('LM-07 has directions that do not disturb each other, with a budget per connection', () => {
    const bench = new Bench();
    const rate = { bytesPerSecond: 50 * KIB, burstBytes: 2 * KIB };
    const throttle = new BandwidthThrottle({ mode: 'PerConn', read: rate, write: rate });
    const sides = [bench.connect(throttle), bench.connect(throttle)];
    for (const { throttled } of sides) throttled.write([Buffer.alloc(2000 * KIB)]);
    bench.run(10 * second, () => {
      for (const { pair } of sides) if (pair.client.unsentBytes < 4 * KIB) pair.client.write([Buffer.alloc(4 * KIB)]);
    });
    for (const { driver, peer } of sides) {
      expect(rateError(driver.receivedBytes, 50 * KIB, 2 * KIB)).toBeLessThan(0.02);
      expect(rateError(peer.receivedBytes, 50 * KIB, 2 * KIB)).toBeLessThan(0.02);
    }
  });

  it('LM-07 shares one budget between all connections and both directions', () => {
    const bench = new Bench();
    const throttle = new BandwidthThrottle({ mode: 'Shared', total: { bytesPerSecond: 100 * KIB, burstBytes: 4 * KIB } });
    const sides = [bench.connect(throttle), bench.connect(throttle), bench.connect(throttle)];
    for (const { throttled } of sides) throttled.write([Buffer.alloc(2000 * KIB)]);
    bench.run(10 * second, () => {
      for (const { pair } of sides) if (pair.client.unsentBytes < KIB) pair.client.write([Buffer.alloc(KIB)]);
    });
    const moved = sides.map(({ driver, peer }) => driver.receivedBytes + peer.receivedBytes);
    expect(
      rateError(
        moved.reduce((sum, bytes) => sum + bytes),
        100 * KIB,
        4 * KIB,
      ),
    ).toBeLessThan(0.02);
    // Nobody is left without.
    for (const bytes of moved) expect(bytes).toBeGreaterThan(200 * KIB);
  });

  it('LM-07 obeys every throttle of a stack', () => {
    const bench = new Bench();
    const perConnection = new BandwidthThrottle({ mode: 'PerConn', write: { bytesPerSecond: 80 * KIB, burstBytes: 2 * KIB } });
    const all = new BandwidthThrottle({ mode: 'Shared', total: { bytesPerSecond: 100 * KIB, burstBytes: 2 * KIB } });
    const sides = [bench.connect(new ThrottleStack([perConnection, all])), bench.connect(new ThrottleStack([perConnection, all]))];
    sides[0]?.throttled.write([Buffer.alloc(2000 * KIB)]);
    bench.run(10 * second);
    expect(rateError(sides[0]?.peer.receivedBytes ?? 0, 80 * KIB, 2 * KIB)).toBeLessThan(0.02);
    sides[1]?.throttled.write([Buffer.alloc(2000 * KIB)]);
    const before = sides.reduce((sum, { peer }) => sum + peer.receivedBytes, 0);
    bench.run(10 * second);
    expect(rateError(sides.reduce((sum, { peer }) => sum + peer.receivedBytes, 0) - before, 100 * KIB, 2 * KIB)).toBeLessThan(0.03);
  });

  it('stays paused for its driver when the time for reading has come', () => {
    const bench = new Bench();
    const { throttled, driver, pair } = bench.connect(
      new BandwidthThrottle({ mode: 'PerConn', read: { bytesPerSecond: 1000, burstBytes: 100 } }),
    );
    pair.client.write([Buffer.alloc(200)]);
    bench.turns.runAll();
    throttled.pause();
    pair.client.write([Buffer.alloc(10)]);
    bench.run(second);
    expect(driver.receivedBytes).toBe(200);
    throttled.resume();
    bench.run(1);
    expect(driver.receivedBytes).toBe(210);
  });

  it('sends what is queued before it ends, and says that it has drained only then', () => {
    const bench = new Bench();
    const { throttled, driver, peer } = bench.connect(
      new BandwidthThrottle({ mode: 'PerConn', write: { bytesPerSecond: 1000, burstBytes: 100 } }),
    );
    throttled.write([Buffer.alloc(600), Buffer.alloc(400)]);
    throttled.end();
    throttled.write([Buffer.alloc(5000)]);
    bench.run(500);
    expect(driver.drains).toBe(0);
    expect(peer.isClosed).toBe(false);
    bench.run(second);
    expect(peer.receivedBytes).toBe(1000);
    expect(peer.isClosed).toBe(true);
  });

  it('leaves no timer and no bytes behind when it is destroyed, and gives its throttle back once', () => {
    const bench = new Bench();
    let disposed = 0;
    const pair = new MemoryTransportPair(bench.turns);
    const rate = { bytesPerSecond: 1000, burstBytes: 100 };
    const throttle = {
      ...new BandwidthThrottle({ mode: 'PerConn', read: rate, write: rate }).attach(),
      [Symbol.dispose]: () => disposed++,
    };
    const throttled = new ThrottledByteTransport(pair.server, throttle, { clock: bench.clock, timers: bench.clock });
    const driver = new Driver();
    throttled.drivenBy(driver);
    pair.server.start(throttled);
    throttled.write([Buffer.alloc(10_000)]);
    pair.client.write([Buffer.alloc(10_000)]);
    bench.turns.runAll();
    expect(bench.clock.pendingTimers).toBe(2);
    throttled.destroy();
    bench.turns.runAll();
    expect({ timers: bench.clock.pendingTimers, disposed, closed: driver.isClosed, unsent: throttled.unsentBytes }).toEqual({
      timers: 0,
      disposed: 1,
      closed: true,
      unsent: 0,
    });
  });
});

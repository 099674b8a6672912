import { DecodingError } from './ua-status-error.ts';

/** Milliseconds from 1601-01-01 to 1970-01-01. */
const EPOCH_DIFFERENCE_MS = 11_644_473_600_000;
const MIN_UNIX_MS = -EPOCH_DIFFERENCE_MS;
/** 9999-12-31T23:59:59Z: from here on a DateTime is encoded as the largest Int64. */
const MAX_UNIX_MS = 253_402_300_799_000;
const MAX_TICKS = 0x7fffffffffffffffn;

/**
 * An instant with 100 ns resolution. Immutable. Instants outside 1601-01-01 … 9999-12-31T23:59:59 saturate.
 * OPC 10000-6 §5.2.2.5.
 */
export class DateTime {
  /** Whole milliseconds since 1970-01-01 UTC. */
  readonly unixMs: number;
  /** What `unixMs` leaves out, in units of 100 ns: 0…9999. */
  readonly ticksOfMs: number;

  private constructor(unixMs: number, ticksOfMs: number) {
    this.unixMs = unixMs;
    this.ticksOfMs = ticksOfMs;
  }

  /** 1601-01-01, also the "no time" value. */
  static readonly MIN: DateTime = new DateTime(MIN_UNIX_MS, 0);
  static readonly MAX: DateTime = new DateTime(MAX_UNIX_MS, 0);

  /**
   * @param unixMs milliseconds since 1970-01-01 UTC; a fraction becomes 100 ns units when `ticksOfMs` is not given.
   * @param ticksOfMs 0…9999 units of 100 ns on top.
   */
  static fromUnixMs(unixMs: number, ticksOfMs?: number): DateTime {
    let wholeMs = Math.floor(unixMs);
    let ticks = ticksOfMs ?? Math.round((unixMs - wholeMs) * 10_000);
    if (ticks === 10_000) {
      wholeMs++;
      ticks = 0;
    }
    if (!(wholeMs > MIN_UNIX_MS || (wholeMs === MIN_UNIX_MS && ticks > 0))) return DateTime.MIN;
    if (wholeMs >= MAX_UNIX_MS) return DateTime.MAX;
    return new DateTime(wholeMs, ticks);
  }

  static fromDate(date: Date): DateTime {
    return DateTime.fromUnixMs(date.getTime(), 0);
  }

  /** @param ticks 100 ns units since 1601-01-01, as on the wire. */
  static fromTicks(ticks: bigint): DateTime {
    if (ticks <= 0n) return DateTime.MIN;
    const wholeMs = Number(ticks / 10_000n) - EPOCH_DIFFERENCE_MS;
    return DateTime.fromUnixMs(wholeMs, Number(ticks % 10_000n));
  }

  /** From the two halves of the Int64 on the wire. */
  static fromTickWords(high: number, low: number): DateTime {
    const signedHigh = high | 0;
    if (signedHigh < 0 || (signedHigh === 0 && low === 0)) return DateTime.MIN;
    const upper = signedHigh * 0x10000 + (low >>> 16);
    const quotient = Math.floor(upper / 10_000);
    const rest = (upper - quotient * 10_000) * 0x10000 + (low & 0xffff);
    const restMs = Math.floor(rest / 10_000);
    return DateTime.fromUnixMs(quotient * 0x10000 + restMs - EPOCH_DIFFERENCE_MS, rest - restMs * 10_000);
  }

  /**
   * Reads an ISO 8601 instant such as `2026-01-31T10:00:00.1234567Z`.
   * @throws DecodingError when the text is no such instant.
   */
  static parse(text: string): DateTime {
    const match = /^([^.]*)\.(\d+)(Z|[+-]\d\d:?\d\d)?$/u.exec(text);
    const whole = match ? `${match[1] ?? ''}${match[3] ?? 'Z'}` : text;
    const zoned = /Z|[+-]\d\d:?\d\d$/u.test(whole) || !whole.includes('T') ? whole : `${whole}Z`;
    const unixMs = Date.parse(zoned);
    if (Number.isNaN(unixMs)) throw DecodingError.malformed(`not a DateTime: ${text.slice(0, 40)}`);
    const fraction = Number((match?.[2] ?? '').padEnd(7, '0').slice(0, 7) || 0);
    const fractionMs = Math.floor(fraction / 10_000);
    return DateTime.fromUnixMs(unixMs + fractionMs, fraction - fractionMs * 10_000);
  }

  /** 100 ns units since 1601-01-01; `DateTime.MAX` gives the largest Int64. */
  toTicks(): bigint {
    if (this.unixMs >= MAX_UNIX_MS) return MAX_TICKS;
    return BigInt(this.unixMs + EPOCH_DIFFERENCE_MS) * 10_000n + BigInt(this.ticksOfMs);
  }

  /**
   * `toTicks()` as the Int64 on the wire, without a bigint: all steps stay exact doubles, and there is no remainder of
   * doubles, which is slow.
   * @param bytes gets 8 bytes at `at`, little-endian.
   */
  writeTicks(bytes: Uint8Array, at: number): void {
    let low = 0xffffffff;
    let high = 0x7fffffff;
    if (this.unixMs < MAX_UNIX_MS) {
      const sinceEpochMs = this.unixMs + EPOCH_DIFFERENCE_MS;
      const upperMs = Math.floor(sinceEpochMs / 0x10000);
      const rest = (sinceEpochMs - upperMs * 0x10000) * 10_000 + this.ticksOfMs;
      const upper = upperMs * 10_000 + (rest >>> 16);
      high = Math.floor(upper / 0x10000);
      low = (upper - high * 0x10000) * 0x10000 + (rest & 0xffff);
    }
    bytes[at] = low;
    bytes[at + 1] = low >>> 8;
    bytes[at + 2] = low >>> 16;
    bytes[at + 3] = low >>> 24;
    bytes[at + 4] = high;
    bytes[at + 5] = high >>> 8;
    bytes[at + 6] = high >>> 16;
    bytes[at + 7] = high >>> 24;
  }

  toDate(): Date {
    return new Date(this.unixMs);
  }

  equals(other: DateTime): boolean {
    return this.unixMs === other.unixMs && this.ticksOfMs === other.ticksOfMs;
  }

  /** Negative, 0 or positive as this instant is before, at or after the other. */
  compare(other: DateTime): number {
    return this.unixMs - other.unixMs || this.ticksOfMs - other.ticksOfMs;
  }

  /** ISO 8601 with as many fraction digits as needed (at least 3). */
  toString(): string {
    const iso = this.toDate().toISOString();
    return this.ticksOfMs === 0 ? iso : `${iso.slice(0, -1)}${String(this.ticksOfMs).padStart(4, '0')}Z`;
  }
}

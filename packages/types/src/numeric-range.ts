import { UaStatusError } from './ua-status-error.ts';

const BAD_INDEX_RANGE_INVALID = 0x80360000;
const MAX_DIMENSIONS = 16;

/** Bounds of one dimension, both inclusive. */
export interface IndexRange {
  readonly low: number;
  readonly high: number;
}

/** One or more dimensions' bounds, as in `1:3` or `0,2:4`. OPC 10000-4 §7.27. */
export interface NumericRange {
  readonly dimensions: readonly IndexRange[];
}

/**
 * Reads a NumericRange; null and "" mean the whole value and give undefined.
 * @throws UaStatusError BadIndexRangeInvalid
 */
export function parseNumericRange(text: string | null): NumericRange | undefined {
  if (text === null || text === '') return undefined;
  const parts = text.split(',', MAX_DIMENSIONS + 1);
  if (parts.length > MAX_DIMENSIONS) throw invalid(text);
  return { dimensions: parts.map((part) => parseDimension(part, text)) };
}

function parseDimension(part: string, text: string): IndexRange {
  const match = /^(\d{1,10})(?::(\d{1,10}))?$/u.exec(part);
  if (!match) throw invalid(text);
  const low = Number(match[1]);
  const high = match[2] === undefined ? low : Number(match[2]);
  // A range of one element is written as a single index: low must be below high.
  if (match[2] !== undefined && low >= high) throw invalid(text);
  return { low, high };
}

function invalid(text: string): UaStatusError {
  return new UaStatusError(BAD_INDEX_RANGE_INVALID, `not a NumericRange: ${text.slice(0, 80)}`);
}

import {
  BuiltInType,
  type IndexRange,
  type NumericRange,
  parseNumericRange,
  type StatusCode,
  StatusCodes,
  UaStatusError,
  Variant,
} from '@bulkhead/types';

/** The range of a request's IndexRange text: undefined for the whole value, a StatusCode when it is malformed. */
export function readIndexRange(text: string | null): NumericRange | undefined | StatusCode {
  if (text === null || text === '') return undefined;
  try {
    return parseNumericRange(text);
  } catch (error) {
    return error instanceof UaStatusError ? error.statusCode : StatusCodes.BadIndexRangeInvalid;
  }
}

/**
 * The part of a value that a range names; strings and byte strings count as arrays of characters and bytes.
 * @returns BadIndexRangeNoData when nothing is within the range or the dimensions don't match. OPC 10000-4 §7.27.
 */
export function sliceVariant(variant: Variant, range: NumericRange): Variant | StatusCode {
  const ranges = range.dimensions;
  if (!variant.isArray) return sliceScalar(variant, ranges);
  const elements = variant.elements;
  if (elements === undefined) return StatusCodes.BadIndexRangeNoData;
  const lengths = variant.dimensions ?? [elements.length];
  const inner = ranges[lengths.length];
  if (ranges.length > lengths.length + (inner !== undefined && isText(variant.type) ? 1 : 0)) return StatusCodes.BadIndexRangeNoData;
  if (ranges.length < lengths.length) return StatusCodes.BadIndexRangeNoData;
  const box = clip(ranges, lengths);
  if (box === undefined) return StatusCodes.BadIndexRangeNoData;
  const picked: unknown[] = [];
  forEachIndex(box, lengths, (index) => picked.push(elements[index]));
  if (inner !== undefined && !sliceTexts(picked, inner)) return StatusCodes.BadIndexRangeNoData;
  if (variant.dimensions === undefined) return Variant.array(variant.type, picked as never);
  return Variant.matrix(
    variant.type,
    picked as never,
    box.map(({ low, high }) => high - low + 1),
  );
}

/**
 * A value with the part that a range names replaced.
 * @returns BadIndexRangeNoData when the range isn't wholly inside the value or not of its shape, BadIndexRangeDataMismatch when
 * the part isn't as large as the range, BadTypeMismatch when the types differ. OPC 10000-4 §5.11.4.4, §7.27.
 */
export function replaceSlice(current: Variant, range: NumericRange, part: Variant): Variant | StatusCode {
  const ranges = range.dimensions;
  if (!current.isArray) return replaceInScalar(current, ranges, part);
  const elements = current.elements;
  if (elements === undefined) return StatusCodes.BadIndexRangeNoData;
  const lengths = current.dimensions ?? [elements.length];
  if (ranges.length !== lengths.length) return StatusCodes.BadIndexRangeNoData;
  if (ranges.some(({ high }, i) => high >= (lengths[i] as number))) return StatusCodes.BadIndexRangeNoData;
  if (part.type !== current.type) return StatusCodes.BadTypeMismatch;
  const values = part.elements;
  if (values === undefined) return StatusCodes.BadIndexRangeDataMismatch;
  const wanted = ranges.map(({ low, high }) => high - low + 1);
  const given = part.dimensions ?? [values.length];
  if (wanted.length !== given.length || wanted.some((length, i) => length !== given[i])) return StatusCodes.BadIndexRangeDataMismatch;
  const changed = Array.from(elements);
  let from = 0;
  forEachIndex(ranges, lengths, (index) => {
    changed[index] = values[from++];
  });
  if (current.dimensions === undefined) return Variant.array(current.type, changed as never);
  return Variant.matrix(current.type, changed as never, current.dimensions);
}

function isText(type: BuiltInType): boolean {
  return type === BuiltInType.String || type === BuiltInType.ByteString;
}

function sliceScalar(variant: Variant, ranges: readonly IndexRange[]): Variant | StatusCode {
  const range = ranges[0];
  if (!isText(variant.type) || ranges.length !== 1 || range === undefined) return StatusCodes.BadIndexRangeNoData;
  const part = sliceText(variant.value, range);
  return part === undefined ? StatusCodes.BadIndexRangeNoData : Variant.scalar(variant.type, part as never);
}

function sliceText(value: unknown, range: IndexRange): string | Uint8Array | undefined {
  if (typeof value !== 'string' && !(value instanceof Uint8Array)) return undefined;
  return range.low < value.length ? value.slice(range.low, range.high + 1) : undefined;
}

/** Slices each text in place; false when none has anything within the range. */
function sliceTexts(texts: unknown[], range: IndexRange): boolean {
  let found = false;
  for (let i = 0; i < texts.length; i++) {
    const part = sliceText(texts[i], range);
    if (part !== undefined) found = true;
    texts[i] = part ?? null;
  }
  return found;
}

function replaceInScalar(current: Variant, ranges: readonly IndexRange[], part: Variant): Variant | StatusCode {
  const range = ranges[0];
  if (!isText(current.type) || ranges.length !== 1 || range === undefined) return StatusCodes.BadIndexRangeNoData;
  const old = current.value as string | Uint8Array | null;
  if (part.isArray || part.type !== current.type) return StatusCodes.BadTypeMismatch;
  const text = part.value as string | Uint8Array | null;
  if (old === null || range.high >= old.length) return StatusCodes.BadIndexRangeNoData;
  if (text === null || text.length !== range.high - range.low + 1) return StatusCodes.BadIndexRangeDataMismatch;
  if (typeof old === 'string') {
    return Variant.string(old.slice(0, range.low) + String(text) + old.slice(range.high + 1));
  }
  const changed = Buffer.from(old);
  changed.set(text as Uint8Array, range.low);
  return Variant.scalar(BuiltInType.ByteString, changed);
}

/** Ranges cut to the lengths that are there; undefined when nothing is left in some dimension. */
function clip(ranges: readonly IndexRange[], lengths: readonly number[]): IndexRange[] | undefined {
  const box: IndexRange[] = [];
  for (let i = 0; i < lengths.length; i++) {
    const { low, high } = ranges[i] as IndexRange;
    const length = lengths[i] as number;
    if (low >= length) return undefined;
    box.push({ low, high: Math.min(high, length - 1) });
  }
  return box;
}

/** Visits the flat indexes of a box inside a row-major array. */
function forEachIndex(box: readonly IndexRange[], lengths: readonly number[], visit: (index: number) => void): void {
  const walk = (dimension: number, offset: number): void => {
    const { low, high } = box[dimension] as IndexRange;
    const start = offset * (lengths[dimension] as number);
    for (let i = low; i <= high; i++) {
      if (dimension === lengths.length - 1) visit(start + i);
      else walk(dimension + 1, start + i);
    }
  };
  walk(0, 0);
}

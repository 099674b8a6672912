import { BinaryStream, type DataValue, StatusCodes, Variant } from 'node-opcua';

const LARGEST_BYTES = 4 * 1024 * 1024;
let stream: BinaryStream | undefined;

/**
 * A value as the client's library sends it, as hexadecimal text: equal values give equal text, NaN and null included.
 * The library sends a copy, which has an empty array where a structure has a null one.
 */
export function bytesOf(variant: Variant): string {
  stream ??= new BinaryStream(LARGEST_BYTES);
  stream.length = 0;
  new Variant(variant).encode(stream);
  return stream.buffer.subarray(0, stream.length).toString('hex');
}

/** @throws Error when the status isn't Good. */
export function goodValue(value: DataValue | undefined, what = ''): Variant {
  if (value === undefined || !value.statusCode.equals(StatusCodes.Good)) throw new Error(`${what}: ${value?.statusCode.toString()}`);
  return value.value;
}

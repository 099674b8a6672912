/** A StatusCode as it travels: an unsigned 32-bit number. OPC 10000-4 §7.39. Names are in `StatusCodes`. */
export type StatusCode = number;

/** True when the severity bits say Good. */
export function isGood(code: StatusCode): boolean {
  return code >>> 30 === 0;
}

/** True when the severity bits say Uncertain. */
export function isUncertain(code: StatusCode): boolean {
  return code >>> 30 === 1;
}

/** True when the severity bits say Bad (both reserved values included). */
export function isBad(code: StatusCode): boolean {
  return code >>> 30 >= 2;
}

/** InfoType "DataValue": the info bits below carry limit and overflow bits. OPC 10000-4 §7.39.1. */
export const INFO_TYPE_DATA_VALUE = 0x0400;
/** Overflow bit of a DataValue's StatusCode: a MonitoredItem's queue lost values. OPC 10000-4 §7.39.1, §7.22.1. */
export const OVERFLOW_BIT = 0x0080;
/** SemanticsChanged bit. OPC 10000-4 §7.39.1. */
export const SEMANTICS_CHANGED_BIT = 0x4000;
/** StructureChanged bit. OPC 10000-4 §7.39.1. */
export const STRUCTURE_CHANGED_BIT = 0x8000;

/** The code without its flag and info bits: what two codes must share to mean the same. */
export function baseStatusCode(code: StatusCode): StatusCode {
  return (code & 0xffff0000) >>> 0;
}

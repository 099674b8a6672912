import type { OutgoingResponseHeader } from '@bulkhead/contracts';
import {
  AdditionalParametersType,
  BuiltInType,
  ExtensionObject,
  isBad,
  QualifiedName,
  type StatusCode,
  StatusCodes,
  UaStatusError,
  Variant,
} from '@bulkhead/types';

/** Body of a ServiceFault: it has nothing but its header. */
export const FAULT_BODY: Readonly<Record<string, never>> = Object.freeze({});

/** An error that knows when trying again makes sense. */
export interface RetryHint {
  /** Whole milliseconds, >= 0. */
  readonly retryAfterMs: number;
}

/**
 * `RetryAfterMs` (Int64) in an AdditionalParametersType, for the additionalHeader of a `BadServerTooBusy` fault.
 * @param retryAfterMs rounded up to whole milliseconds.
 */
export function retryAfterHeader(retryAfterMs: number): ExtensionObject {
  const value = Variant.scalar(BuiltInType.Int64, BigInt(Math.max(0, Math.ceil(retryAfterMs))));
  return ExtensionObject.of(AdditionalParametersType, { parameters: [{ key: new QualifiedName(0, 'RetryAfterMs'), value }] });
}

/** The StatusCode that goes on the wire for `error`: its own, or `BadInternalError` for anything that isn't meant for the wire. */
export function faultCodeOf(error: unknown): StatusCode {
  return error instanceof UaStatusError && isBad(error.statusCode) ? error.statusCode : StatusCodes.BadInternalError;
}

/** The header of a ServiceFault. Texts of errors stay here: only the code is sent. */
export function faultHeader(requestHandle: number, code: StatusCode, retryAfterMs: number): OutgoingResponseHeader {
  return {
    requestHandle,
    serviceResult: code,
    serviceDiagnostics: null,
    stringTable: null,
    additionalHeader: code === StatusCodes.BadServerTooBusy ? retryAfterHeader(retryAfterMs) : ExtensionObject.NULL,
  };
}

/** When `error` says to try again; `fallbackMs` when it doesn't. */
export function retryAfterMsOf(error: unknown, fallbackMs: number): number {
  const hint = error instanceof UaStatusError ? (error as UaStatusError & Partial<RetryHint>).retryAfterMs : undefined;
  return typeof hint === 'number' && hint >= 0 ? hint : fallbackMs;
}

import type { OutgoingResponseHeader } from '@bulkhead/contracts';
import { type Refusal, stageNames } from '@bulkhead/resource-isolation';
import {
  AdditionalParametersType,
  BuiltInType,
  ExtensionObject,
  isBad,
  QualifiedName,
  type RefusalDetails,
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

const names = {
  retryAfterMs: new QualifiedName(0, 'RetryAfterMs'),
  stage: new QualifiedName(0, 'Stage'),
  reason: new QualifiedName(0, 'Reason'),
  usage: new QualifiedName(0, 'Usage'),
  limit: new QualifiedName(0, 'Limit'),
  refusalId: new QualifiedName(0, 'RefusalId'),
} as const;

/**
 * The additionalHeader of a `BadServerTooBusy` fault: an AdditionalParametersType with `RetryAfterMs` (Int64), and of a refusal
 * `Stage`, `Reason` (String), `Usage`, `Limit` and `RefusalId` (Int64). Nothing in it tells of other callers.
 * @param retryAfterMs rounded up to whole milliseconds.
 */
export function tooBusyHeader(retryAfterMs: number, refusal: RefusalDetails | undefined): ExtensionObject {
  const parameters = [{ key: names.retryAfterMs, value: int64(Math.max(0, Math.ceil(retryAfterMs))) }];
  if (refusal !== undefined) {
    parameters.push(
      { key: names.stage, value: Variant.scalar(BuiltInType.String, refusal.stage) },
      { key: names.reason, value: Variant.scalar(BuiltInType.String, refusal.reason) },
      { key: names.usage, value: int64(refusal.usage) },
      { key: names.limit, value: int64(refusal.limit) },
      { key: names.refusalId, value: int64(refusal.id) },
    );
  }
  return ExtensionObject.of(AdditionalParametersType, { parameters });
}

/** What a fault tells of a refusal by the provider. */
export function refusalDetails({ id, stage, reason, usage, limit }: Refusal): RefusalDetails {
  return { id, stage: stageNames[stage] as string, reason, usage, limit };
}

/** The StatusCode that goes on the wire for `error`: its own, or `BadInternalError` for anything that isn't meant for the wire. */
export function faultCodeOf(error: unknown): StatusCode {
  return error instanceof UaStatusError && isBad(error.statusCode) ? error.statusCode : StatusCodes.BadInternalError;
}

/** The header of a ServiceFault. Texts of errors stay here: only the code is sent, and of a refusal its figures. */
export function faultHeader(
  requestHandle: number,
  code: StatusCode,
  retryAfterMs: number,
  refusal: RefusalDetails | undefined,
): OutgoingResponseHeader {
  return {
    requestHandle,
    serviceResult: code,
    serviceDiagnostics: null,
    stringTable: null,
    additionalHeader: code === StatusCodes.BadServerTooBusy ? tooBusyHeader(retryAfterMs, refusal) : ExtensionObject.NULL,
  };
}

/** When `error` says to try again; `fallbackMs` when it doesn't. */
export function retryAfterMsOf(error: unknown, fallbackMs: number): number {
  const hint = error instanceof UaStatusError ? (error as UaStatusError & Partial<RetryHint>).retryAfterMs : undefined;
  return typeof hint === 'number' && hint >= 0 ? hint : fallbackMs;
}

/** A number that is no safe integer (an unlimited one, say) becomes the nearest that is. */
function int64(value: number): Variant {
  const bounded = Math.min(Math.max(value, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
  return Variant.scalar(BuiltInType.Int64, BigInt(Math.trunc(bounded)));
}

import { AdditionalParametersType, type DiagnosticInfo, type ResponseHeader } from '@bulkhead/types';

/** No hint asks for more than an hour: a server can't put a client out of action for good. */
export const MAX_RETRY_AFTER_MS = 3_600_000;

const PARAMETER_NAME = 'RetryAfterMs';
const TOKEN = /(?:^|[^\w.])RetryAfterMs=(\d{1,16})(?![\w.])/u;
/** Deepest chain of inner DiagnosticInfos that is looked at. */
const MAX_DIAGNOSTIC_DEPTH = 10;

/** When a server asks to be tried again: the parameter of the additionalHeader, else the token of older servers in AdditionalInfo. */
export function retryAfterOfResponse(header: ResponseHeader): number | undefined {
  return retryAfterOfAdditionalHeader(header) ?? retryAfterOfDiagnostics(header.serviceDiagnostics);
}

/** Carrier 1: `RetryAfterMs` in an AdditionalParametersType in `ResponseHeader.additionalHeader`. */
export function retryAfterOfAdditionalHeader({ additionalHeader }: ResponseHeader): number | undefined {
  if (!additionalHeader.is(AdditionalParametersType)) return undefined;
  try {
    const parameter = additionalHeader.decode(AdditionalParametersType).parameters?.find(({ key }) => key.name === PARAMETER_NAME);
    const value = parameter?.value.isArray === false ? parameter.value.value : undefined;
    return typeof value === 'bigint' || typeof value === 'number' ? bounded(Number(value)) : undefined;
  } catch {
    // A hint that can't be read is no hint; the fault itself counts.
    return undefined;
  }
}

/** Carrier 2: a `RetryAfterMs=N` token in the reason of an ERR message. */
export function retryAfterOfReason(reason: string): number | undefined {
  const digits = TOKEN.exec(reason)?.[1];
  return digits === undefined ? undefined : bounded(Number(digits));
}

/** Carrier 3: a `RetryAfterMs=N` token in the AdditionalInfo of the service's diagnostics. */
export function retryAfterOfDiagnostics(diagnostics: DiagnosticInfo | null): number | undefined {
  let info: DiagnosticInfo | null | undefined = diagnostics;
  for (let depth = 0; info && depth < MAX_DIAGNOSTIC_DEPTH; depth++) {
    const hint = retryAfterOfReason(info.additionalInfo ?? '');
    if (hint !== undefined) return hint;
    info = info.innerDiagnosticInfo;
  }
  return undefined;
}

/**
 * Carrier 4: the `Retry-After` header of HTTP 429 and 503, in seconds or as a date. RFC 9110 §10.2.3.
 * @param nowMs ms since 1970.
 */
export function retryAfterOfHttpHeader(value: string, nowMs: number): number | undefined {
  const text = value.trim();
  if (/^\d{1,12}$/u.test(text)) return bounded(Number(text) * 1000);
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : bounded(atMs - nowMs);
}

function bounded(milliseconds: number): number | undefined {
  if (!Number.isFinite(milliseconds)) return undefined;
  return Math.min(Math.max(0, Math.ceil(milliseconds)), MAX_RETRY_AFTER_MS);
}

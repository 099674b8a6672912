import type { StatusCode } from './status-code.ts';

/** Vendor-specific diagnostics; the indexes point into the response header's stringTable. OPC 10000-4 §7.13. */
export interface DiagnosticInfo {
  readonly symbolicId?: number;
  readonly namespaceUri?: number;
  readonly locale?: number;
  readonly localizedText?: number;
  readonly additionalInfo?: string | null;
  readonly innerStatusCode?: StatusCode;
  readonly innerDiagnosticInfo?: DiagnosticInfo;
}

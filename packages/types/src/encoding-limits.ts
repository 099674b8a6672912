/** What a decoder accepts. One object per reader, so two servers in a process may differ. */
export interface EncodingLimits {
  /** Largest String or XmlElement, in bytes of UTF-8. */
  readonly maxStringBytes: number;
  /** Largest ByteString or ExtensionObject body, in bytes. */
  readonly maxByteStringBytes: number;
  /** Most elements of one array or matrix. */
  readonly maxArrayLength: number;
  /** Deepest nesting of Variants, DataValues, ExtensionObjects and DiagnosticInfos. OPC 10000-6 §5.1.5 asks for at least 100. */
  readonly maxNestingLevel: number;
}

/** Finite defaults: 4 MiB strings and byte strings, 1,000,000 elements, 100 levels. */
export const defaultEncodingLimits: EncodingLimits = {
  maxStringBytes: 4 * 1024 * 1024,
  maxByteStringBytes: 4 * 1024 * 1024,
  maxArrayLength: 1_000_000,
  maxNestingLevel: 100,
};

import type { DateTime } from './date-time.ts';
import type { StatusCode } from './status-code.ts';
import type { Variant } from './variant.ts';

/** A value with its quality and times. Immutable. OPC 10000-4 §7.11, OPC 10000-6 §5.2.2.17. */
export class DataValue {
  /** Undefined when the value is absent on the wire; a null value is `Variant.NULL`. */
  readonly value: Variant | undefined;
  readonly statusCode: StatusCode;
  readonly sourceTimestamp: DateTime | undefined;
  readonly serverTimestamp: DateTime | undefined;
  /** Units of 10 ps, 0…9999. */
  readonly sourcePicoseconds: number;
  /** Units of 10 ps, 0…9999. */
  readonly serverPicoseconds: number;

  constructor(
    value?: Variant | undefined,
    statusCode: StatusCode = 0,
    sourceTimestamp?: DateTime | undefined,
    serverTimestamp?: DateTime | undefined,
    sourcePicoseconds = 0,
    serverPicoseconds = 0,
  ) {
    this.value = value;
    this.statusCode = statusCode;
    this.sourceTimestamp = sourceTimestamp;
    this.serverTimestamp = serverTimestamp;
    this.sourcePicoseconds = sourcePicoseconds;
    this.serverPicoseconds = serverPicoseconds;
  }

  /** A DataValue that carries a StatusCode only. */
  static ofStatus(statusCode: StatusCode): DataValue {
    return new DataValue(undefined, statusCode);
  }

  /** The same with another StatusCode. */
  withStatus(statusCode: StatusCode): DataValue {
    return new DataValue(
      this.value,
      statusCode,
      this.sourceTimestamp,
      this.serverTimestamp,
      this.sourcePicoseconds,
      this.serverPicoseconds,
    );
  }
}

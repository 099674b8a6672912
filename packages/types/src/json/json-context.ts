import type { EncodingLimits } from '../encoding-limits.ts';
import type { NodeId } from '../node-id.ts';
import type { StructureType } from '../structure-type.ts';

/**
 * The two forms of the JSON DataEncoding; decoders take both. `compact` leaves out fields that have their default value,
 * `verbose` writes all of them and adds symbolic names. OPC 10000-6 §5.4.1.
 */
export type JsonFlavour = 'compact' | 'verbose';

/** Finds structures outside namespace 0, as the address space does for DataTypes with a definition. */
export interface JsonStructures {
  ofDataType(dataType: NodeId): StructureType<unknown> | undefined;
  /** @param encodingId NodeId of any of the DataType's encodings. */
  ofEncoding(encodingId: NodeId): StructureType<unknown> | undefined;
}

/** A NamespaceArray and a ServerArray. */
export interface JsonUriTables {
  /** Undefined when the message brings none. */
  readonly namespaceUris: readonly string[] | undefined;
  readonly serverUris: readonly string[] | undefined;
}

/** What URIs in JSON stand for, and what a decoder accepts. */
export interface JsonContext {
  /** The NamespaceArray; index 0 is the namespace of OPC UA. */
  readonly namespaceUris: readonly string[];
  /** The ServerArray; index 0 is the server itself. */
  readonly serverUris: readonly string[];
  /**
   * The tables that indexes in a message refer to, where it brings its own (SessionlessInvoke, OPC 10000-4 §6.3.2); decoders
   * turn them into indexes of the tables above.
   */
  readonly messageUris?: JsonUriTables | undefined;
  readonly structures?: JsonStructures | undefined;
  /** Limits for decoding; the finite defaults when left out. */
  readonly limits?: EncodingLimits | undefined;
}

/** A JSON object, as it comes or goes. */
export type JsonObject = Record<string, unknown>;

export function isJsonObject(json: unknown): json is JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

/** An own member; what a prototype has (`constructor`, `toString`) is no member. */
export function memberOf(json: JsonObject, name: string): unknown {
  return Object.hasOwn(json, name) ? json[name] : undefined;
}

/** Sets an own member whatever its name: an assignment to `__proto__` would change the object's prototype. */
export function setMember(json: JsonObject, name: string, value: unknown): void {
  if (name === '__proto__') Object.defineProperty(json, name, { value, writable: true, enumerable: true, configurable: true });
  else json[name] = value;
}

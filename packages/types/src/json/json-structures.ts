import * as enumerations from '../generated/enumerations.ts';
import { allStructureTypes, structureTypeByDataTypeId, structureTypeByEncodingId } from '../generated/structure-registry.ts';
import { IdentifierType, NodeId } from '../node-id.ts';
import type { StructureType } from '../structure-type.ts';
import type { JsonContext } from './json-context.ts';

/** The structure that a DataType's NodeId, or that of any of its encodings, stands for. */
export function jsonStructureOf(id: NodeId, context: JsonContext): StructureType<unknown> | undefined {
  if (id.isNull) return undefined;
  if (id.namespaceIndex === 0 && id.identifierType === IdentifierType.Numeric) {
    const number = id.identifier as number;
    const known = structureTypeByDataTypeId(number) ?? structureTypeByEncodingId(number) ?? textEncodings().get(number);
    if (known !== undefined) return known;
  }
  return context.structures?.ofDataType(id) ?? context.structures?.ofEncoding(id);
}

/** NodeId of the DataType, which JSON names; undefined for a type that has none of its own. */
export function dataTypeNodeIdOf(type: StructureType<unknown>): NodeId | undefined {
  if (type.dataTypeNodeId !== undefined) return type.dataTypeNodeId.isNull ? undefined : type.dataTypeNodeId;
  return type.dataTypeId === 0 ? undefined : NodeId.numeric(0, type.dataTypeId);
}

export function binaryEncodingNodeIdOf(type: StructureType<unknown>): NodeId {
  return type.binaryEncodingNodeId ?? NodeId.numeric(0, type.binaryEncodingId);
}

/** The name of an enumeration's value; undefined when it isn't known here. */
export function enumerationLiteral(enumeration: string, value: number): string | undefined {
  return literals(enumeration)?.get(value);
}

/** Names of an enumeration's values; undefined when the enumeration isn't known here. */
export function literals(enumeration: string): ReadonlyMap<number, string> | undefined {
  let names = namesOf.get(enumeration);
  if (names === undefined) {
    const values = valuesOf(enumeration);
    if (values === undefined) return undefined;
    names = new Map(Object.entries(values).map(([name, number]) => [number, name]));
    namesOf.set(enumeration, names);
  }
  return names;
}

// Both are made of constant tables on first use: most processes speak no JSON.
const namesOf = new Map<string, ReadonlyMap<number, string>>();
let byTextEncodingId: ReadonlyMap<number, StructureType<unknown>> | undefined;

function textEncodings(): ReadonlyMap<number, StructureType<unknown>> {
  byTextEncodingId ??= new Map(
    allStructureTypes().flatMap((type) => [[type.jsonEncodingId, type] as const, [type.xmlEncodingId, type] as const]),
  );
  return byTextEncodingId;
}

/** The prefix is there where the descriptors of this package use the name themselves. */
function valuesOf(enumeration: string): Readonly<Record<string, number>> | undefined {
  const all: Readonly<Record<string, unknown>> = enumerations;
  const values = Object.hasOwn(all, enumeration)
    ? all[enumeration]
    : Object.hasOwn(all, `Ua${enumeration}`)
      ? all[`Ua${enumeration}`]
      : undefined;
  return values as Readonly<Record<string, number>> | undefined;
}

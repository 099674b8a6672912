import { BuiltInType } from '../src/built-in-type.ts';
import { DataValue } from '../src/data-value.ts';
import { DateTime } from '../src/date-time.ts';
import { ExpandedNodeId } from '../src/expanded-node-id.ts';
import { ExtensionObject } from '../src/extension-object.ts';
import { LocalizedText } from '../src/localized-text.ts';
import { NodeId } from '../src/node-id.ts';
import { QualifiedName } from '../src/qualified-name.ts';
import type { StructureField, StructureType } from '../src/structure-type.ts';
import { Variant } from '../src/variant.ts';

/** Returns integers 0 … limit - 1, the same sequence for the same seed (a linear congruential generator). */
export type RandomInteger = (limit: number) => number;

export function seededRandom(seed: number): RandomInteger {
  let state = seed >>> 0;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 0x1_0000_0000) * limit);
  };
}

/** A value of the structure with every field filled at random, as its descriptor says. */
export function randomStructure<T>(type: StructureType<T>, random: RandomInteger): T {
  const init: Record<string, unknown> = {};
  if (type.kind === 'union') {
    const switchField = random(type.fields.length + 1);
    init['switchField'] = switchField;
    const field = type.fields[switchField - 1];
    if (field !== undefined) init[field.name] = randomField(field, random);
  } else {
    for (const field of type.fields) {
      if (field.optional !== true || random(2) === 0) init[field.name] = randomField(field, random);
    }
  }
  return type.create(init as Partial<T>);
}

function randomField(field: StructureField, random: RandomInteger): unknown {
  const one = (): unknown =>
    field.structure === undefined ? randomBuiltIn(field.type, random) : randomStructure(field.structure(), random);
  if (!field.isArray) return one();
  const length = random(4);
  return length === 3 ? null : Array.from({ length }, one);
}

function randomBuiltIn(type: BuiltInType, random: RandomInteger): unknown {
  switch (type) {
    case BuiltInType.Null:
      return undefined;
    case BuiltInType.Boolean:
      return random(2) === 1;
    case BuiltInType.SByte:
      return random(256) - 128;
    case BuiltInType.Byte:
      return random(256);
    case BuiltInType.Int16:
      return random(0x10000) - 0x8000;
    case BuiltInType.UInt16:
      return random(0x10000);
    case BuiltInType.Int32:
      return random(0x1_0000_0000) - 0x8000_0000;
    case BuiltInType.UInt32:
    case BuiltInType.StatusCode:
      return random(0x1_0000_0000);
    case BuiltInType.Int64:
      return BigInt.asIntN(64, randomBits64(random));
    case BuiltInType.UInt64:
      return randomBits64(random);
    case BuiltInType.Float:
      return random(1_000_000) / 64;
    case BuiltInType.Double:
      return random(1_000_000) / 1000;
    case BuiltInType.String:
    case BuiltInType.XmlElement:
      return randomString(random);
    case BuiltInType.ByteString:
      return random(4) === 0 ? null : randomBytes(random);
    case BuiltInType.DateTime:
      return DateTime.fromTicks(BigInt(random(0x7fff_ffff)) << 24n);
    case BuiltInType.Guid:
      return `00112233-4455-6677-8899-${random(0x1_0000_0000).toString(16).padStart(12, '0')}`;
    case BuiltInType.NodeId:
      return randomNodeId(random);
    case BuiltInType.ExpandedNodeId:
      return random(2) === 0
        ? new ExpandedNodeId(randomNodeId(random))
        : new ExpandedNodeId(NodeId.numeric(0, random(70_000)), 'urn:x', 1 + random(9));
    case BuiltInType.QualifiedName:
      return new QualifiedName(random(10), randomString(random));
    case BuiltInType.LocalizedText:
      return new LocalizedText(randomString(random) || null, randomString(random) || null);
    case BuiltInType.ExtensionObject:
      return random(3) === 0 ? ExtensionObject.NULL : new ExtensionObject(NodeId.numeric(2, random(500)), randomBytes(random));
    case BuiltInType.DataValue:
      return new DataValue(Variant.double(random(1000)), random(2) * 0x8000_0000, DateTime.fromTicks(BigInt(1 + random(0x7fff_ffff))));
    case BuiltInType.Variant:
      return random(2) === 0 ? Variant.int32(random(1000)) : Variant.array(BuiltInType.String, ['a', null, randomString(random)]);
    case BuiltInType.DiagnosticInfo:
      return random(2) === 0
        ? null
        : { symbolicId: random(100), innerStatusCode: 0x8001_0000, innerDiagnosticInfo: { additionalInfo: 'x' } };
  }
}

function randomBits64(random: RandomInteger): bigint {
  return (BigInt(random(0x1_0000_0000)) << 32n) | BigInt(random(0x1_0000_0000));
}

function randomString(random: RandomInteger): string | null {
  return [null, '', 'plain', 'Größe €', 'a longer text that takes another path through the string codec'][random(5)] ?? null;
}

function randomBytes(random: RandomInteger): Buffer {
  return Buffer.from(Array.from({ length: random(20) }, () => random(256)));
}

function randomNodeId(random: RandomInteger): NodeId {
  switch (random(5)) {
    case 0:
      return NodeId.NULL;
    case 1:
      return NodeId.numeric(random(3), random(0x1_0000_0000));
    case 2:
      return NodeId.string(random(0x10000), 'name');
    case 3:
      return NodeId.guid(1, '72962B91-FA75-4AE6-8D28-B404DC7DAF63');
    default:
      return NodeId.opaque(1, randomBytes(random));
  }
}

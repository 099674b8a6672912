import { BinaryReader, BinaryWriter, BuiltInType, builtInTypeNames, decodeVariant, encodeVariant, Variant } from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { referenceNodeIds } from '../src/nodes/node-ids.ts';
import { abstractSamples, concreteSamples, MATRIX_DIMENSIONS } from '../src/nodes/sample-values.ts';
import { specialValues } from '../src/nodes/special-values.ts';

const allSamples = [...concreteSamples, ...abstractSamples];

function bytesOf(variant: Variant): Buffer {
  const writer = new BinaryWriter();
  encodeVariant(writer, variant);
  return Buffer.from(writer.toBuffer());
}

describe('the values of the static variables', () => {
  it('are of every built-in type that a Value can have', () => {
    const excluded: number[] = [BuiltInType.Null, BuiltInType.Variant, BuiltInType.DataValue, BuiltInType.DiagnosticInfo];
    const wanted = Object.values(BuiltInType).filter((type) => !excluded.includes(type));
    expect(concreteSamples.map(({ type }) => type).toSorted((a, b) => a - b)).toEqual(wanted);
  });

  it.each(allSamples.map((samples) => [samples.dataType, samples] as const))('of %s differ and survive the wire', (_, samples) => {
    const { type, scalar, otherScalar, elements } = samples;
    expect(bytesOf(scalar)).not.toEqual(bytesOf(otherScalar));
    expect(elements).toHaveLength(MATRIX_DIMENSIONS.reduce((product, length) => product * length, 1));
    const array = Variant.array(type, elements as never);
    const matrix = Variant.matrix(type, elements as never, MATRIX_DIMENSIONS);
    for (const variant of [scalar, otherScalar, array, matrix]) {
      const bytes = bytesOf(variant);
      const decoded = decodeVariant(new BinaryReader(bytes));
      expect(builtInTypeNames[decoded.type]).toBe(builtInTypeNames[variant.type]);
      expect(bytesOf(decoded)).toEqual(bytes);
    }
  });

  it('include special ones with names of their own, all of which can be encoded', () => {
    expect(new Set(specialValues.map(({ name }) => name)).size).toBe(specialValues.length);
    for (const { value } of specialValues) expect(bytesOf(value).length).toBeGreaterThan(0);
  });
});

describe('the list of NodeIds', () => {
  it('names each node once', () => {
    const all = Object.values(referenceNodeIds).flat();
    expect(new Set(all).size).toBe(all.length);
    expect(all).toContain('ns=2;s=Scalar.Static.Double');
    expect(all).toContain('ns=2;s=Bench.Double.999');
  });
});

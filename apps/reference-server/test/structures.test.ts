import { BinaryReader, BinaryWriter, decodeVariant, type ExtensionObject, encodeVariant, StatusCodes, Variant } from '@bulkhead/types';
import { beforeAll, describe, expect, it } from 'vitest';
import { referenceNodeIds } from '../src/nodes/node-ids.ts';
import { createReferenceSpace, type ReferenceSpace } from './harness.ts';

/** The variant as a client would send it back: structures are bytes. */
function throughTheWire(variant: Variant): Variant {
  const writer = new BinaryWriter();
  encodeVariant(writer, variant);
  return decodeVariant(new BinaryReader(Buffer.from(writer.toBuffer())));
}

describe('structures and enumerations of the server’s own types', () => {
  let reference: ReferenceSpace;
  beforeAll(async () => {
    reference = await createReferenceSpace();
  });

  async function variantOf(id: string): Promise<Variant> {
    return (await reference.read(id)).value ?? Variant.NULL;
  }

  async function plainOf(id: string): Promise<unknown> {
    const variant = throughTheWire(await variantOf(id));
    return reference.space.structures.decode(variant.value as ExtensionObject);
  }

  it('come back from a client as they went out', async () => {
    for (const id of referenceNodeIds.structure.filter((name) => !name.endsWith('ReadOnly'))) {
      const sent = throughTheWire(await variantOf(id));
      expect([id, await reference.write(id, sent)]).toEqual([id, StatusCodes.Good]);
      expect(throughTheWire(await variantOf(id))).toEqual(sent);
    }
  });

  it('keep optional fields, nested structures, arrays and unions', async () => {
    expect(await plainOf('ns=2;s=Structure.Vessel')).toMatchObject({
      Name: 'Bulkhead',
      Mode: 10,
      Position: { X: 120.5, Y: 0, Z: -3.25 },
      Route: [{ X: 53.55 }, { X: 51.95 }, { X: 40.67 }],
      Draught: 7.75,
      Holds: [{ Weight: 1250.5 }, { Pieces: 42 }, { Labels: ['fragile', '', null] }, { Stowage: { X: 120.5 } }],
    });
    expect(await plainOf('ns=2;s=Structure.VesselPartly')).toEqual({
      Name: null,
      Mode: 0,
      Position: { X: 120.5, Y: 0, Z: -3.25 },
      Route: null,
    });
    expect(await plainOf('ns=2;s=Structure.CargoNone')).toEqual({});
    expect(await plainOf('ns=2;s=Structure.Tanker')).toMatchObject({
      Name: 'Tanker',
      Levels: [0.25, 0.5, Number.NaN],
      Alarms: 0x8001,
    });
  });

  it('let a variable of a type hold its subtype, but nothing else', async () => {
    const tanker = throughTheWire(await variantOf('ns=2;s=Structure.Tanker'));
    expect(await reference.write('ns=2;s=Structure.Vessel', tanker)).toBe(StatusCodes.Good);
    const position = throughTheWire(await variantOf('ns=2;s=Structure.Position'));
    expect(await reference.write('ns=2;s=Structure.Vessel', position)).toBe(StatusCodes.BadTypeMismatch);
  });

  it('give an enumeration only values that have a name', async () => {
    expect(await reference.write('ns=2;s=Structure.Mode', Variant.int32(20))).toBe(StatusCodes.Good);
    expect(await reference.write('ns=2;s=Structure.Mode', Variant.int32(2))).toBe(StatusCodes.BadOutOfRange);
  });

  it('can be arguments of a method', async () => {
    const vessel = throughTheWire(await variantOf('ns=2;s=Structure.VesselPartly'));
    const to = throughTheWire(await variantOf('ns=2;s=Structure.PositionReadOnly'));
    const { statusCode, outputArguments } = await reference.call('MoveVessel', [vessel, to, Variant.int32(10)]);
    expect(statusCode).toBe(StatusCodes.Good);
    const moved = throughTheWire(outputArguments?.[0] ?? Variant.NULL);
    expect(reference.space.structures.decode(moved.value as ExtensionObject)).toMatchObject({ Mode: 10, Position: { X: 120.5 } });
  });
});

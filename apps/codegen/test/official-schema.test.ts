import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readBsd } from '../src/bsd-reader.ts';
import { buildModel } from '../src/build-model.ts';
import { bsdPath, nodesetPath } from '../src/inputs.ts';
import { readNodeIds, readStatusCodes } from '../src/node-opcua-data.ts';
import { readNodeset } from '../src/nodeset-reader.ts';

const bsd = readBsd(readFileSync(bsdPath, 'utf8'));
const nodeset = readNodeset(readFileSync(nodesetPath, 'utf8'));
const ids = readNodeIds();

describe('the official schema', () => {
  it('says the same about every type that both of its files define', () => {
    const merged = buildModel(bsd, nodeset, ids);
    const fromBsdOnly = buildModel(
      bsd,
      { ...nodeset, dataTypes: nodeset.dataTypes.map((type) => ({ ...type, definition: undefined })) },
      ids,
    );
    const inBsd = new Map(fromBsdOnly.structures.map((structure) => [structure.name, structure]));
    const inBoth = merged.structures.filter(({ name, area }) => area !== 'service' && inBsd.has(name));
    expect(inBoth.length).toBeGreaterThan(150);
    for (const { name, kind, fields } of inBoth) {
      expect([name, kind, fields]).toEqual([name, inBsd.get(name)?.kind, inBsd.get(name)?.fields]);
    }
  });

  it('has ids for every structure', () => {
    for (const structure of buildModel(bsd, nodeset, ids).structures) {
      const { dataTypeId, binaryEncodingId, xmlEncodingId, jsonEncodingId } = structure;
      expect(
        [dataTypeId, binaryEncodingId, xmlEncodingId, jsonEncodingId].every((id) => id > 0),
        structure.name,
      ).toBe(true);
    }
  });

  it('gives each StatusCode one name and no info bits', () => {
    const codes = readStatusCodes();
    expect(new Set(codes.map(({ code }) => code)).size).toBe(codes.length);
    expect(codes.every(({ code }) => (code & 0xffff) === 0)).toBe(true);
  });
});

import { readFileSync } from 'node:fs';
import { AttributeIds, type ClientSession, type DataValue, StatusCodes } from 'node-opcua';
import { nodesets } from 'node-opcua-nodesets';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ForeignClients } from '../support/foreign-clients.ts';
import { type ReferenceTestServer, startReferenceTestServer } from '../support/reference-test-server.ts';

const HAS_ENCODING = 'ns=0;i=38';
const HAS_SUBTYPE = 'ns=0;i=45';
const OWN_TYPES = ['Position', 'Mode', 'Alarms', 'Cargo', 'Vessel', 'Tanker'].map((name) => `ns=2;s=DataType.${name}`);
let server: ReferenceTestServer;
let clients: ForeignClients;
let session: ClientSession;
let official: Map<string, OfficialDefinition>;

/** The library decodes into classes that it doesn't export. OPC 10000-3 §8.49, §8.50. */
interface StructureDefinition {
  readonly defaultEncodingId: { toString(): string };
  readonly baseDataType: { toString(): string };
  readonly structureType: number;
  readonly fields: readonly { readonly name: string }[] | null;
}

interface EnumDefinition {
  readonly fields: readonly { readonly name: string; readonly value: readonly number[] }[] | null;
}

/** StructureType. OPC 10000-3 §8.48. */
const WITH_OPTIONAL_FIELDS = 1;
const UNION = 2;
const UNION_WITH_SUBTYPES = 4;

function isStructure(definition: object | undefined): definition is StructureDefinition {
  return definition?.constructor.name === 'StructureDefinition';
}

function isEnumeration(definition: object | undefined): definition is EnumDefinition {
  return definition?.constructor.name === 'EnumDefinition';
}

/** A DataType's Definition in the official NodeSet. */
interface OfficialDefinition {
  readonly name: string;
  readonly isUnion: boolean;
  readonly fields: readonly Readonly<Record<string, string>>[];
}

beforeAll(async () => {
  official = readOfficialDefinitions(readFileSync(nodesets.standard, 'utf8'));
  server = await startReferenceTestServer();
  clients = await ForeignClients.create();
  session = await clients.session(server.endpointUrl);
});

afterAll(async () => {
  await clients.end();
  await server.end();
});

function readOfficialDefinitions(xml: string): Map<string, OfficialDefinition> {
  const definitions = new Map<string, OfficialDefinition>();
  for (const [element] of xml.matchAll(/<UADataType [\s\S]*?<\/UADataType>/gu)) {
    const definition = /<Definition [^>]*\/>|<Definition [\s\S]*?<\/Definition>/u.exec(element)?.[0];
    if (definition === undefined) continue;
    const fields = [...definition.matchAll(/<Field ([^>]*)>/gu)].map(([, text]) => attributesOf(text ?? ''));
    const { NodeId = '', BrowseName = '' } = attributesOf(element.slice(0, element.indexOf('>')));
    definitions.set(`ns=0;${NodeId}`, { name: BrowseName, isUnion: definition.includes('IsUnion="true"'), fields });
  }
  return definitions;
}

function attributesOf(text: string): Record<string, string> {
  return Object.fromEntries([...text.matchAll(/(\w+)="([^"]*)"/gu)].map(([, name, value]) => [name, value]));
}

function definitionOf(value: DataValue | undefined): object | undefined {
  return value?.statusCode.equals(StatusCodes.Good) ? value.value.value : undefined;
}

async function readDefinitions(nodeIds: readonly string[]): Promise<Map<string, object | undefined>> {
  const values = await session.read(nodeIds.map((nodeId) => ({ nodeId, attributeId: AttributeIds.DataTypeDefinition })));
  return new Map(nodeIds.map((nodeId, i) => [nodeId, definitionOf(values[i])]));
}

/** Every DataType below BaseDataType, with its base. */
async function dataTypes(): Promise<Map<string, string>> {
  const bases = new Map([['ns=0;i=24', '']]);
  let waiting = [...bases.keys()];
  while (waiting.length > 0) {
    const results = await session.browse(waiting.map((nodeId) => ({ nodeId, referenceTypeId: HAS_SUBTYPE, resultMask: 0 })));
    const found = results.flatMap(({ references }, i) =>
      (references ?? []).map(({ nodeId }) => [nodeId.toString(), waiting[i] ?? ''] as const),
    );
    for (const [nodeId, base] of found) bases.set(nodeId, base);
    waiting = found.map(([nodeId]) => nodeId);
  }
  return bases;
}

describe('the definitions of DataTypes, decoded by a foreign client', () => {
  it('are there for every DataType of the official NodeSet that has one, field by field', async () => {
    expect(official.size).toBeGreaterThan(240);
    const definitions = await readDefinitions([...official.keys()]);
    for (const [nodeId, { name, fields }] of official) {
      const definition = definitions.get(nodeId);
      if (isEnumeration(definition)) {
        expect(
          (definition.fields ?? []).map((field) => [field.name, Number(field.value[1])]),
          name,
        ).toEqual(fields.map((field) => [field['Name'], Number(field['Value'])]));
      } else {
        if (!isStructure(definition)) throw new Error(`no definition of ${name}`);
        // Fields of the bases come first.
        const names = (definition.fields ?? []).map((field) => field.name);
        expect(names.slice(names.length - fields.length), name).toEqual(fields.map((field) => field['Name']));
      }
    }
  });

  it('start with the fields of the base type', async () => {
    const bases = await dataTypes();
    const definitions = await readDefinitions([...bases.keys()]);
    let compared = 0;
    for (const [nodeId, definition] of definitions) {
      const base = definitions.get(bases.get(nodeId) ?? '');
      if (!isStructure(definition) || !isStructure(base)) continue;
      const names = (definition.fields ?? []).map(({ name }) => name);
      const baseNames = (base.fields ?? []).map(({ name }) => name);
      expect(names.slice(0, baseNames.length), nodeId).toEqual(baseNames);
      expect(definition.baseDataType.toString(), nodeId).toBe(bases.get(nodeId));
      compared++;
    }
    expect(compared).toBeGreaterThan(50);
  });

  it('tell of structures whether they are unions, and how they are encoded', async () => {
    const definitions = await readDefinitions([...official.keys(), ...OWN_TYPES]);
    const structures = [...definitions].filter((entry): entry is [string, StructureDefinition] => isStructure(entry[1]));
    const encodings = await session.browse(structures.map(([nodeId]) => ({ nodeId, referenceTypeId: HAS_ENCODING, resultMask: 0x3f })));
    const abstract = await session.read(structures.map(([nodeId]) => ({ nodeId, attributeId: AttributeIds.IsAbstract })));
    for (const [i, [nodeId, { structureType, defaultEncodingId }]] of structures.entries()) {
      const binary = encodings[i]?.references?.find(({ browseName }) => browseName.name === 'Default Binary');
      // There are no values of an abstract type to encode.
      if (binary !== undefined && abstract[i]?.value.value === false)
        expect(defaultEncodingId.toString(), nodeId).toBe(binary.nodeId.toString());
      const isUnion = structureType === UNION || structureType === UNION_WITH_SUBTYPES;
      if (official.has(nodeId)) expect(isUnion, nodeId).toBe(official.get(nodeId)?.isUnion);
    }
  });

  it('are there for the server’s own types', async () => {
    const definitions = await readDefinitions(OWN_TYPES);
    const kind = (name: string): string | undefined => definitions.get(`ns=2;s=DataType.${name}`)?.constructor.name;
    for (const name of ['Position', 'Cargo', 'Vessel', 'Tanker']) expect(kind(name)).toBe('StructureDefinition');
    for (const name of ['Mode', 'Alarms']) expect(kind(name)).toBe('EnumDefinition');
    expect((definitions.get('ns=2;s=DataType.Cargo') as StructureDefinition).structureType).toBe(UNION);
    expect((definitions.get('ns=2;s=DataType.Vessel') as StructureDefinition).structureType).toBe(WITH_OPTIONAL_FIELDS);
  });

  it('let the client decode values of those types without having been told of them before', async () => {
    const manager = await session.extractNamespaceDataType();
    expect(manager).toBeDefined();
    const [vessel, cargo, fleet] = await session.read(
      ['Vessel', 'Cargo', 'Fleet'].map((name) => ({ nodeId: `ns=2;s=Structure.${name}`, attributeId: AttributeIds.Value })),
    );
    expect(vessel?.value.value).toMatchObject({ name: 'Bulkhead', position: { x: 120.5, y: 0, z: -3.25 }, draught: 7.75 });
    expect(cargo?.value.value).toMatchObject({ pieces: 42 });
    expect(fleet?.value.value).toHaveLength(3);
  });
});

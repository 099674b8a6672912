import { describe, expect, it } from 'vitest';
import { buildModel } from '../src/build-model.ts';
import { bsdOf, idsOf, nodesetOf } from './schema-snippets.ts';

const emptyBsd = bsdOf('');

describe('schema model', () => {
  it('puts inherited fields first and resolves simple types to their built-in type', () => {
    const nodeset = nodesetOf([
      {
        id: 1000,
        name: 'Base',
        base: 22,
        attributes: 'IsAbstract="true"',
        definition: '<Definition Name="Base"><Field Name="A" DataType="i=12"/></Definition>',
      },
      {
        id: 1001,
        name: 'Derived',
        base: 1000,
        definition: '<Definition Name="Derived"><Field Name="B" DataType="i=290"/><Field Name="C" DataType="Double"/></Definition>',
      },
    ]);
    const derived = buildModel(emptyBsd, nodeset, idsOf('Base', 'Derived')).structures.find(({ name }) => name === 'Derived');
    expect(derived).toMatchObject({ kind: 'structure', dataTypeId: 1001, binaryEncodingId: 2001 });
    expect(derived?.fields.map(({ specName, type }) => [specName, type.name])).toEqual([
      ['A', 'String'],
      ['B', 'Double'],
      ['C', 'Double'],
    ]);
  });

  it('gives fields whose subtypes are allowed an envelope', () => {
    const nodeset = nodesetOf([
      { id: 1000, name: 'Abstract', base: 22, attributes: 'IsAbstract="true"', definition: '<Definition Name="Abstract"/>' },
      { id: 1001, name: 'Concrete', base: 22, definition: '<Definition Name="Concrete"><Field Name="X" DataType="i=6"/></Definition>' },
      {
        id: 1002,
        name: 'Holder',
        base: 22,
        definition:
          '<Definition Name="Holder"><Field Name="OfAbstract" DataType="i=1000"/><Field Name="OfStructure" DataType="i=22"/>' +
          '<Field Name="WithSubtypes" DataType="i=1001" AllowSubTypes="true"/><Field Name="Exact" DataType="i=1001"/>' +
          '<Field Name="OfNumber" DataType="i=26"/><Field Name="OfAnything"/></Definition>',
      },
    ]);
    const holder = buildModel(emptyBsd, nodeset, idsOf('Abstract', 'Concrete', 'Holder')).structures.find(({ name }) => name === 'Holder');
    expect(holder?.fields.map(({ type }) => type.name)).toEqual([
      'ExtensionObject',
      'ExtensionObject',
      'ExtensionObject',
      'Concrete',
      'Variant',
      'Variant',
    ]);
  });

  it('tells optional fields, unions, enumerations and option sets apart', () => {
    const nodeset = nodesetOf([
      {
        id: 1000,
        name: 'State',
        base: 29,
        definition: '<Definition Name="State"><Field Name="On" Value="1"/><Field Name="Off" Value="2"/></Definition>',
      },
      {
        id: 1001,
        name: 'Mask',
        base: 3,
        definition: '<Definition Name="Mask" IsOptionSet="true"><Field Name="A" Value="0"/><Field Name="C" Value="2"/></Definition>',
      },
      {
        id: 1002,
        name: 'Optional',
        base: 22,
        definition:
          '<Definition Name="Optional"><Field Name="A" DataType="i=1000" IsOptional="true"/><Field Name="B" DataType="i=1001" ValueRank="1"/></Definition>',
      },
      { id: 1003, name: 'Choice', base: 12756, definition: '<Definition Name="Choice"><Field Name="A" DataType="i=6"/></Definition>' },
    ]);
    const model = buildModel(emptyBsd, nodeset, idsOf('Optional', 'Choice'));
    expect(model.enumerations).toMatchObject([
      { name: 'Mask', kind: 'optionSet', base: 'Byte', members: [{ value: 1n }, { value: 4n }] },
      { name: 'State', kind: 'enumeration', base: 'Int32', members: [{ value: 1n }, { value: 2n }] },
    ]);
    expect(model.structures.map(({ name, kind }) => [name, kind])).toEqual([
      ['Choice', 'union'],
      ['Optional', 'optionalFields'],
    ]);
    expect(model.structures[1]?.fields).toMatchObject([
      { type: { kind: 'enumeration', name: 'State' }, isOptional: true },
      { type: { kind: 'optionSet', name: 'Mask', base: 'Byte' }, isArray: true },
    ]);
  });

  it('prefers the nodeset, adds what only the dictionary has, and leaves out what has no binary encoding', () => {
    const bsd = bsdOf(
      '<opc:StructuredType Name="Both"><opc:Field Name="Old" TypeName="opc:Int32"/></opc:StructuredType>' +
        '<opc:StructuredType Name="Service"><opc:Field Name="Inner" TypeName="tns:Both"/></opc:StructuredType>' +
        '<opc:StructuredType Name="NotSent"><opc:Field Name="X" TypeName="opc:Int32"/></opc:StructuredType>',
    );
    const nodeset = nodesetOf([
      { id: 1000, name: 'Both', base: 22, definition: '<Definition Name="Both"><Field Name="New" DataType="i=6"/></Definition>' },
    ]);
    const { structures } = buildModel(bsd, nodeset, idsOf('Both', 'Service'));
    expect(structures.map(({ name, area, fields }) => [name, area, fields[0]?.specName])).toEqual([
      ['Both', 'information-model', 'New'],
      ['Service', 'service', 'Inner'],
    ]);
  });

  it('renames a type whose name the package uses for something else', () => {
    const nodeset = nodesetOf([
      {
        id: 1000,
        name: 'StructureType',
        base: 29,
        definition: '<Definition Name="StructureType"><Field Name="A" Value="0"/></Definition>',
      },
    ]);
    expect(buildModel(emptyBsd, nodeset, idsOf()).enumerations).toMatchObject([{ name: 'UaStructureType', specName: 'StructureType' }]);
  });
});

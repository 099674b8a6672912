import { describe, expect, it } from 'vitest';
import { bsdEnumeration, bsdStructure } from '../src/bsd-types.ts';
import type { FieldType } from '../src/schema-model.ts';
import { bsdOf } from './schema-snippets.ts';

function structureOf(fields: string, lookup: (name: string) => FieldType | undefined = () => undefined) {
  const [type] = bsdOf(`<opc:StructuredType Name="T" BaseType="ua:ExtensionObject">${fields}</opc:StructuredType>`).structuredTypes;
  if (type === undefined) throw new Error('no type read');
  return bsdStructure(type, lookup);
}

describe('binary schema dictionary', () => {
  it('reads built-in fields under their own name and CharArray as String', () => {
    const { kind, fields } = structureOf('<opc:Field Name="Id" TypeName="ua:NodeId"/><opc:Field Name="EURange" TypeName="opc:CharArray"/>');
    expect(kind).toBe('structure');
    expect(fields).toEqual([
      { specName: 'Id', propertyName: 'id', type: { kind: 'builtIn', name: 'NodeId' }, isArray: false, isOptional: false },
      { specName: 'EURange', propertyName: 'euRange', type: { kind: 'builtIn', name: 'String' }, isArray: false, isOptional: false },
    ]);
  });

  it('turns a length field and its field into one array', () => {
    const { fields } = structureOf(
      '<opc:Field Name="NoOfIds" TypeName="opc:Int32"/><opc:Field Name="Ids" TypeName="opc:UInt32" LengthField="NoOfIds"/>',
    );
    expect(fields.map(({ specName, isArray }) => [specName, isArray])).toEqual([['Ids', true]]);
  });

  it('turns an encoding mask into optional fields', () => {
    const { kind, fields } = structureOf(
      '<opc:Field Name="ASpecified" TypeName="opc:Bit"/><opc:Field Name="Reserved1" TypeName="opc:Bit" Length="31"/>' +
        '<opc:Field Name="X" TypeName="opc:Int32"/><opc:Field Name="A" TypeName="opc:Int32" SwitchField="ASpecified"/>',
    );
    expect(kind).toBe('optionalFields');
    expect(fields.map(({ specName, isOptional }) => [specName, isOptional])).toEqual([
      ['X', false],
      ['A', true],
    ]);
  });

  it('refuses bits that do not make up an encoding mask', () => {
    expect(() => structureOf('<opc:Field Name="A" TypeName="opc:Bit"/><opc:Field Name="Rest" TypeName="opc:Bit" Length="7"/>')).toThrow(
      /mask/u,
    );
  });

  it('turns switch values into a union', () => {
    const { kind, fields } = structureOf(
      '<opc:Field Name="SwitchField" TypeName="opc:UInt32"/>' +
        '<opc:Field Name="A" TypeName="opc:Int32" SwitchField="SwitchField" SwitchValue="1"/>' +
        '<opc:Field Name="B" TypeName="opc:String" SwitchField="SwitchField" SwitchValue="2"/>',
    );
    expect(kind).toBe('union');
    expect(fields.map(({ specName, isOptional }) => [specName, isOptional])).toEqual([
      ['A', false],
      ['B', false],
    ]);
  });

  it('refuses a field of a type that nobody declared', () => {
    expect(() => structureOf('<opc:Field Name="A" TypeName="tns:Missing"/>')).toThrow(/T\.A: unknown type tns:Missing/u);
  });

  it('reads an option set on the unsigned type of its length', () => {
    const [type] = bsdOf(
      '<opc:EnumeratedType Name="M" LengthInBits="8" IsOptionSet="true"><opc:EnumeratedValue Name="A" Value="4"/></opc:EnumeratedType>',
    ).enumeratedTypes;
    if (type === undefined) throw new Error('no type read');
    expect(bsdEnumeration(type)).toMatchObject({ kind: 'optionSet', base: 'Byte', members: [{ name: 'A', value: 4n }] });
  });

  it('rejects a document that is not well-formed', () => {
    expect(() => bsdOf('<opc:StructuredType>')).toThrow();
  });
});

import {
  BuiltInType,
  DataValue,
  DateTime,
  DecodingError,
  ExpandedNodeId,
  ExtensionObject,
  LocalizedText,
  NULL_GUID,
  parseBase64,
  QualifiedName,
  type StructureField,
  type StructureType,
  Variant,
} from '@bulkhead/types';
import type { StructureTypes } from '../structure-types.ts';
import type { NodeSetIds } from './nodeset-ids.ts';
import { childNamed, childText, serializeXml, type XmlElement } from './xml-element.ts';

const LIST_PREFIX = 'ListOf';

/** Reads values in the XML encoding. OPC 10000-6 §5.3. */
export class XmlValues {
  readonly #ids: NodeSetIds;
  readonly #structures: StructureTypes;

  constructor(ids: NodeSetIds, structures: StructureTypes) {
    this.#ids = ids;
    this.#structures = structures;
  }

  /** The value that an element such as `<Double>`, `<ListOfString>` or `<Matrix>` stands for. @throws DecodingError */
  variant(element: XmlElement): Variant {
    if (element.name === 'Matrix') return this.#matrix(element);
    if (element.name.startsWith(LIST_PREFIX)) {
      const type = builtInType(element.name.slice(LIST_PREFIX.length));
      return Variant.array(type, element.children.map((child) => this.scalar(child, type)) as never);
    }
    if (element.name === 'Variant') return this.#nestedVariant(element);
    const type = builtInType(element.name);
    return Variant.scalar(type, this.scalar(element, type) as never);
  }

  /** One value of a built-in type. @throws DecodingError */
  scalar(element: XmlElement, type: BuiltInType): unknown {
    switch (type) {
      case BuiltInType.Boolean:
        return parseBoolean(element.text);
      case BuiltInType.Float:
      case BuiltInType.Double:
        return parseReal(element.text);
      case BuiltInType.Int64:
      case BuiltInType.UInt64:
        return parseBigInt(element.text);
      case BuiltInType.String:
        return element.attributes['nil'] === 'true' ? null : element.text;
      case BuiltInType.XmlElement:
        return element.children.map((child) => serializeXml(child)).join('');
      case BuiltInType.StatusCode:
        return parseInteger(childText(element, 'Code') ?? '0');
      default:
        return type <= BuiltInType.UInt32 ? parseInteger(element.text) : this.#object(element, type);
    }
  }

  /** A structure's fields by their elements. Fields without one get their default. @throws DecodingError */
  structure(element: XmlElement, type: StructureType<unknown>): unknown {
    const init: Record<string, unknown> = {};
    for (const field of type.fields) {
      const child = childNamed(element, field.specName);
      if (child !== undefined && child.attributes['nil'] !== 'true') init[field.name] = this.#field(child, field);
    }
    return type.create(init as never);
  }

  #field(element: XmlElement, field: StructureField): unknown {
    if (!field.isArray) return this.#fieldElement(element, field);
    return element.children.map((child) => this.#fieldElement(child, field));
  }

  #fieldElement(element: XmlElement, field: StructureField): unknown {
    if (field.structure !== undefined) return this.structure(element, field.structure() as unknown as StructureType<unknown>);
    if (field.enumeration !== undefined && field.type === BuiltInType.Int32) return parseEnumeration(element.text);
    return this.scalar(element, field.type);
  }

  #object(element: XmlElement, type: BuiltInType): unknown {
    switch (type) {
      case BuiltInType.DateTime:
        return element.text.trim() === '' ? DateTime.MIN : DateTime.parse(element.text.trim());
      case BuiltInType.Guid:
        return (childText(element, 'String') ?? element.text.trim()).toLowerCase() || NULL_GUID;
      case BuiltInType.ByteString:
        return element.attributes['nil'] === 'true' ? null : parseBase64(element.text);
      case BuiltInType.NodeId:
        return this.#ids.nodeId(childText(element, 'Identifier') || 'i=0');
      case BuiltInType.ExpandedNodeId:
        return new ExpandedNodeId(this.#ids.nodeId(childText(element, 'Identifier') || 'i=0'));
      case BuiltInType.QualifiedName:
        return new QualifiedName(
          this.#ids.index(parseInteger(childText(element, 'NamespaceIndex') || '0')),
          childNamed(element, 'Name')?.text ?? null,
        );
      case BuiltInType.LocalizedText:
        return new LocalizedText(childNamed(element, 'Text')?.text ?? null, childText(element, 'Locale') || null);
      case BuiltInType.ExtensionObject:
        return this.#extensionObject(element);
      case BuiltInType.DataValue:
        return this.#dataValue(element);
      case BuiltInType.Variant:
        return this.#nestedVariant(element);
      default:
        return {};
    }
  }

  #extensionObject(element: XmlElement): ExtensionObject {
    const identifier = childText(childNamed(element, 'TypeId') ?? element, 'Identifier');
    if (!identifier) return ExtensionObject.NULL;
    const typeId = this.#ids.nodeId(identifier);
    const body = childNamed(element, 'Body')?.children[0];
    const type = this.#structures.ofEncoding(typeId);
    // An unknown structure stays what it was in the document.
    if (type === undefined) return new ExtensionObject(typeId, body === undefined ? undefined : serializeXml(body));
    return ExtensionObject.of(type, body === undefined ? type.create() : this.structure(body, type));
  }

  #nestedVariant(element: XmlElement): Variant {
    const content = (childNamed(element, 'Value') ?? element).children[0];
    return content === undefined ? Variant.NULL : this.variant(content);
  }

  #dataValue(element: XmlElement): DataValue {
    const value = childNamed(element, 'Value');
    return new DataValue(value === undefined ? undefined : this.#nestedVariant(value));
  }

  #matrix(element: XmlElement): Variant {
    const dimensions = (childNamed(element, 'Dimensions')?.children ?? []).map((child) => parseInteger(child.text));
    const elements = childNamed(element, 'Elements')?.children ?? [];
    const type = elements[0] === undefined ? BuiltInType.Variant : builtInType(elements[0].name);
    const values = elements.map((child) => this.scalar(child, type));
    if (dimensions.reduce((product, length) => product * length, 1) !== values.length) throw DecodingError.malformed('Matrix dimensions');
    return Variant.matrix(type, values as never, dimensions);
  }
}

function builtInType(name: string): BuiltInType {
  const type = (BuiltInType as Readonly<Record<string, BuiltInType>>)[name];
  if (type === undefined || type === BuiltInType.Null) throw DecodingError.malformed(`no built-in type ${name}`);
  return type;
}

function parseBoolean(text: string): boolean {
  const value = text.trim();
  return value === 'true' || value === '1';
}

function parseInteger(text: string): number {
  const value = Number(text.trim());
  if (!Number.isInteger(value)) throw DecodingError.malformed(`no integer: ${text.slice(0, 40)}`);
  return value;
}

function parseBigInt(text: string): bigint {
  if (!/^\s*-?\d{1,20}\s*$/u.test(text)) throw DecodingError.malformed(`no integer: ${text.slice(0, 40)}`);
  return BigInt(text.trim());
}

function parseReal(text: string): number {
  const value = text.trim();
  if (value === 'INF') return Number.POSITIVE_INFINITY;
  if (value === '-INF') return Number.NEGATIVE_INFINITY;
  const number = Number(value);
  if (Number.isNaN(number) && value !== 'NaN') throw DecodingError.malformed(`no number: ${value.slice(0, 40)}`);
  return number;
}

/** `Name_3` or `3`. */
function parseEnumeration(text: string): number {
  return parseInteger(text.trim().replace(/^.*_(?=-?\d+$)/u, ''));
}

import { BuiltInType } from '../built-in-type.ts';
import { DataValue } from '../data-value.ts';
import { DateTime } from '../date-time.ts';
import type { DiagnosticInfo } from '../diagnostic-info.ts';
import { ExpandedNodeId } from '../expanded-node-id.ts';
import { ExtensionObject } from '../extension-object.ts';
import { isGuid, NULL_GUID } from '../guid.ts';
import { LocalizedText } from '../localized-text.ts';
import { NodeId } from '../node-id.ts';
import { QualifiedName } from '../qualified-name.ts';
import type { StatusCode } from '../status-code.ts';
import type { StructureField, StructureType } from '../structure-type.ts';
import { Variant } from '../variant.ts';
import { isJsonObject, type JsonContext, type JsonObject, memberOf, setMember } from './json-context.ts';
import { decodeJsonDateTime } from './json-date-time.ts';
import { isNullable } from './json-encoder.ts';
import { decodeJsonBytes, decodeJsonExpandedNodeId, decodeJsonNodeId, decodeJsonQualifiedName } from './json-names.ts';
import { decodeJsonDouble, decodeJsonEnumeration, decodeJsonFloat, decodeJsonInteger, decodeJsonInteger64 } from './json-numbers.ts';
import { JsonPath } from './json-path.ts';
import { binaryEncodingNodeIdOf, jsonStructureOf } from './json-structures.ts';

const JSON_BODY = 0;
const BINARY_BODY = 1;
const XML_BODY = 2;
const MAX_PICOSECONDS = 9999;
const EMPTY: JsonObject = Object.freeze({});
/** What is a few bytes of text mustn't become an object each. */
const NO_DATA_VALUE: DataValue = Object.freeze(new DataValue());
const NO_DIAGNOSTIC_INFO: DiagnosticInfo = Object.freeze({});

/**
 * Makes OPC UA values of parsed JSON of either flavour, and of the older reversible encoding where that says the same in other
 * words (OPC 10000-6 §5.4, Annex H). A null, or a member that isn't there, is the default of its type. For one value each.
 */
export class JsonDecoder {
  readonly path: JsonPath;
  readonly #context: JsonContext;
  /** Structures of unknown types become null instead of an error, as a header's AdditionalHeader may. */
  ignoresUnknownStructures = false;

  constructor(context: JsonContext) {
    this.#context = context;
    this.path = new JsonPath(context.limits);
  }

  /** @throws DecodingError */
  structure<T>(type: StructureType<T>, json: unknown): T {
    const object = this.#object(json ?? EMPTY, type.name);
    this.path.enterNestingLevel();
    const fields: JsonObject = {};
    switch (type.kind) {
      case 'union':
        this.#union(type as StructureType<unknown>, object, fields);
        break;
      case 'optionalFields':
        this.#optionalFields(type as StructureType<unknown>, object, fields);
        break;
      default:
        for (const field of type.fields) setMember(fields, field.name, this.field(field, memberOf(object, field.specName)));
    }
    this.path.exitNestingLevel();
    return type.create(fields as Partial<T>);
  }

  /** A value of a built-in type. @throws DecodingError */
  builtIn(type: BuiltInType, json: unknown): unknown {
    if (json === null || json === undefined) return defaultOf(type);
    switch (type) {
      case BuiltInType.Null:
        return undefined;
      case BuiltInType.Boolean:
        if (typeof json !== 'boolean') throw this.path.malformed('not a Boolean');
        return json;
      case BuiltInType.SByte:
      case BuiltInType.Byte:
      case BuiltInType.Int16:
      case BuiltInType.UInt16:
      case BuiltInType.Int32:
      case BuiltInType.UInt32:
        return decodeJsonInteger(type, json, this.path);
      case BuiltInType.Int64:
      case BuiltInType.UInt64:
        return decodeJsonInteger64(type === BuiltInType.Int64, json, this.path);
      case BuiltInType.Float:
        return decodeJsonFloat(json, this.path);
      case BuiltInType.Double:
        return decodeJsonDouble(json, this.path);
      case BuiltInType.String:
      case BuiltInType.XmlElement:
        return this.#string(json);
      case BuiltInType.DateTime:
        return decodeJsonDateTime(json, this.path);
      case BuiltInType.Guid:
        if (typeof json !== 'string' || !isGuid(json)) throw this.path.malformed('not a Guid');
        return json.toLowerCase();
      case BuiltInType.ByteString:
        return decodeJsonBytes(json, this.path);
      default:
        return this.#composite(type, json);
    }
  }

  #composite(type: BuiltInType, json: unknown): unknown {
    switch (type) {
      case BuiltInType.NodeId:
        return decodeJsonNodeId(json, this.#context, this.path);
      case BuiltInType.ExpandedNodeId:
        return decodeJsonExpandedNodeId(json, this.#context, this.path);
      case BuiltInType.StatusCode:
        return this.#statusCode(json);
      case BuiltInType.QualifiedName:
        return decodeJsonQualifiedName(json, this.#context, this.path);
      case BuiltInType.LocalizedText:
        return this.#localizedText(json);
      case BuiltInType.ExtensionObject:
        return this.#nested(json, 'ExtensionObject', (object) => this.#extensionObject(object));
      case BuiltInType.DataValue:
        return this.#nested(json, 'DataValue', (object) => this.#dataValue(object));
      case BuiltInType.Variant:
        return this.#nested(json, 'Variant', (object) => this.#variant(object));
      case BuiltInType.DiagnosticInfo:
        return this.#nested(json, 'DiagnosticInfo', (object) => this.#diagnosticInfo(object));
      default:
        throw this.path.malformed(`no built-in type ${type}`);
    }
  }

  #nested<T>(json: unknown, what: string, decode: (object: JsonObject) => T): T {
    const object = this.#object(json, what);
    this.path.enterNestingLevel();
    const value = decode(object);
    this.path.exitNestingLevel();
    return value;
  }

  #union(type: StructureType<unknown>, object: JsonObject, fields: JsonObject): void {
    const given = memberOf(object, 'SwitchField');
    const present = type.fields.filter((field) => Object.hasOwn(object, field.specName));
    if (given === undefined && present.length > 1) throw this.path.malformed(`${type.name} with ${present.length} fields`);
    const only = present[0];
    const switchField =
      given !== undefined
        ? this.#member(object, 'SwitchField', BuiltInType.UInt32)
        : only === undefined
          ? 0
          : type.fields.indexOf(only) + 1;
    const field = type.fields[(switchField as number) - 1];
    if (field === undefined && switchField !== 0) throw this.path.malformed(`${type.name} has no field ${String(switchField)}`);
    fields['switchField'] = switchField;
    if (field === undefined) return;
    // The older encoding calls every field `Value`.
    setMember(fields, field.name, this.field(field, memberOf(object, field.specName) ?? memberOf(object, 'Value')));
  }

  #optionalFields(type: StructureType<unknown>, object: JsonObject, fields: JsonObject): void {
    const hasMask = Object.hasOwn(object, 'EncodingMask');
    let mask = hasMask ? (this.#member(object, 'EncodingMask', BuiltInType.UInt32) as number) : 0;
    for (const field of type.fields) {
      let isPresent = true;
      if (field.optional === true) {
        isPresent = hasMask ? (mask & 1) === 1 : Object.hasOwn(object, field.specName);
        mask >>>= 1;
      }
      if (isPresent) setMember(fields, field.name, this.field(field, memberOf(object, field.specName)));
    }
    if (mask !== 0) throw this.path.malformed('EncodingMask with unassigned bits');
  }

  /** A field of a structure. @param json undefined when the member isn't there. */
  field(field: StructureField, json: unknown): unknown {
    this.path.push(field.specName);
    let value: unknown;
    if (!field.isArray) value = this.#element(field, json);
    else if (json === null || json === undefined) value = null;
    else if (field.dimensionCount === undefined) value = this.#elements(field, json);
    else value = isJsonObject(json) ? this.#matrix(field, json) : this.#rows(field, json, field.dimensionCount);
    this.path.pop();
    return value;
  }

  #elements(field: StructureField, json: unknown): unknown[] {
    const elements = this.#array(json);
    const values = new Array<unknown>(elements.length);
    for (let i = 0; i < elements.length; i++) {
      this.path.push(i);
      values[i] = this.#element(field, elements[i]);
      this.path.pop();
    }
    return values;
  }

  #element(field: StructureField, json: unknown): unknown {
    if (field.structure !== undefined) return this.structure(field.structure(), json);
    if (field.enumeration !== undefined) return json === null || json === undefined ? 0 : decodeJsonEnumeration(json, this.path);
    return this.builtIn(field.type, json);
  }

  /** One array and its dimensions, as rows of rows. OPC 10000-6 §5.4.5. */
  #matrix(field: StructureField, json: JsonObject): unknown {
    const elements = this.#elements(field, memberOf(json, 'Array') ?? []);
    const dimensions = this.#dimensions(memberOf(json, 'Dimensions') ?? [], elements.length);
    if (dimensions.length !== field.dimensionCount) throw this.path.malformed(`not ${field.dimensionCount} dimensions`);
    let rows: unknown[] = elements;
    for (let i = dimensions.length - 1; i > 0; i--) {
      const length = dimensions[i] as number;
      const count = length === 0 ? 0 : rows.length / length;
      const flat = rows;
      rows = Array.from({ length: count }, (_, row) => flat.slice(row * length, (row + 1) * length));
    }
    return rows;
  }

  /** Nested arrays, as the older encoding has them (Annex H.9). */
  #rows(field: StructureField, json: unknown, dimensionCount: number): unknown {
    if (dimensionCount <= 1) return this.#elements(field, json);
    return this.#array(json).map((row) => this.#rows(field, row, dimensionCount - 1));
  }

  #object(json: unknown, type: string): JsonObject {
    if (!isJsonObject(json)) throw this.path.malformed(`not a JSON object for ${type}`);
    return json;
  }

  #array(json: unknown): readonly unknown[] {
    if (!Array.isArray(json)) throw this.path.malformed('not an array');
    if (json.length > this.path.limits.maxArrayLength) throw this.path.limitExceeded(`array of ${json.length} elements`);
    return json;
  }

  /** A member that is of a built-in type. */
  #member(object: JsonObject, name: string, type: BuiltInType): unknown {
    this.path.push(name);
    const value = this.builtIn(type, memberOf(object, name));
    this.path.pop();
    return value;
  }

  #string(json: unknown): string {
    if (typeof json !== 'string') throw this.path.malformed('not a string');
    const { maxStringBytes } = this.path.limits;
    // A UTF-16 unit takes at most three bytes of UTF-8.
    if (json.length * 3 > maxStringBytes && Buffer.byteLength(json, 'utf8') > maxStringBytes) {
      throw this.path.limitExceeded(`string of ${json.length} characters`);
    }
    return json;
  }

  /** An object, or the number of the older encoding. OPC 10000-6 §5.4.2.12. */
  #statusCode(json: unknown): StatusCode {
    if (typeof json === 'number') return decodeJsonInteger(BuiltInType.UInt32, json, this.path);
    return this.#member(this.#object(json, 'StatusCode'), 'Code', BuiltInType.UInt32) as number;
  }

  #localizedText(json: unknown): LocalizedText {
    if (typeof json === 'string') return new LocalizedText(this.#string(json));
    const object = this.#object(json, 'LocalizedText');
    const text = this.#member(object, 'Text', BuiltInType.String) as string | null;
    const locale = this.#member(object, 'Locale', BuiltInType.String) as string | null;
    return text === null && locale === null ? LocalizedText.NULL : new LocalizedText(text, locale);
  }

  /** OPC 10000-6 §5.4.2.17; `Type` and `Body` in the older encoding. */
  #variant(object: JsonObject): Variant {
    const typeMember = Object.hasOwn(object, 'UaType') ? 'UaType' : 'Type';
    const type = this.#member(object, typeMember, BuiltInType.Byte) as BuiltInType;
    if (type > BuiltInType.DiagnosticInfo) throw this.path.malformed(`Variant of type ${type}`);
    if (type === BuiltInType.Null) return Variant.NULL;
    const valueMember = Object.hasOwn(object, 'Value') ? 'Value' : 'Body';
    const json = memberOf(object, valueMember);
    this.path.push(valueMember);
    const variant = this.#variantValue(type, json, Object.hasOwn(object, valueMember), memberOf(object, 'Dimensions'));
    this.path.pop();
    return variant;
  }

  #variantValue(type: BuiltInType, json: unknown, isGiven: boolean, dimensions: unknown): Variant {
    if (!Array.isArray(json)) {
      if (json === null && isGiven && !isNullable(type)) return Variant.array(type, null);
      return Variant.scalar(type, this.builtIn(type, json) as never);
    }
    const elements = this.#elements({ name: '', specName: '', type, isArray: true }, json) as never;
    if (dimensions === null || dimensions === undefined) return Variant.array(type, elements);
    const lengths = this.#dimensions(dimensions, json.length);
    return lengths.length > 1 ? Variant.matrix(type, elements, lengths) : Variant.array(type, elements);
  }

  #dimensions(json: unknown, elementCount: number): number[] {
    const lengths = this.#elements({ name: '', specName: '', type: BuiltInType.UInt32, isArray: true }, json) as number[];
    let product = 1;
    for (const length of lengths) product *= length;
    if (lengths.length > 0 && product !== elementCount) throw this.path.malformed(`dimensions don't multiply to ${elementCount} elements`);
    return lengths;
  }

  /** OPC 10000-6 §5.4.2.18; in the older encoding the value is a Variant of its own. */
  #dataValue(object: JsonObject): DataValue {
    if (isEmpty(object)) return NO_DATA_VALUE;
    const hasStatus = Object.hasOwn(object, 'Status');
    const value = this.#dataValueVariant(object);
    const statusCode = this.#member(object, hasStatus ? 'Status' : 'StatusCode', BuiltInType.StatusCode) as number;
    const sourceTimestamp = this.#timestamp(object, 'SourceTimestamp');
    const serverTimestamp = this.#timestamp(object, 'ServerTimestamp');
    const sourcePicoseconds = this.#picoseconds(object, 'SourcePicoseconds', 'SourcePicoSeconds');
    const serverPicoseconds = this.#picoseconds(object, 'ServerPicoseconds', 'ServerPicoSeconds');
    return new DataValue(value, statusCode, sourceTimestamp, serverTimestamp, sourcePicoseconds, serverPicoseconds);
  }

  #dataValueVariant(object: JsonObject): Variant | undefined {
    if (!Object.hasOwn(object, 'UaType')) {
      const old = memberOf(object, 'Value');
      if (old === null || old === undefined) return undefined;
      return this.#member(object, 'Value', BuiltInType.Variant) as Variant;
    }
    const variant = this.#variant(object);
    return variant.type === BuiltInType.Null ? undefined : variant;
  }

  #timestamp(object: JsonObject, name: string): DateTime | undefined {
    const value = this.#member(object, name, BuiltInType.DateTime) as DateTime;
    return value === DateTime.MIN ? undefined : value;
  }

  #picoseconds(object: JsonObject, name: string, oldName: string): number {
    const value = this.#member(object, Object.hasOwn(object, name) ? name : oldName, BuiltInType.UInt16) as number;
    return Math.min(value, MAX_PICOSECONDS);
  }

  /** OPC 10000-6 §5.4.2.16; `TypeId`, `Encoding` and `Body` in the older encoding. */
  #extensionObject(object: JsonObject): ExtensionObject {
    const isOld = !Object.hasOwn(object, 'UaTypeId') && Object.hasOwn(object, 'TypeId');
    const typeId = this.#member(object, isOld ? 'TypeId' : 'UaTypeId', BuiltInType.NodeId) as NodeId;
    const encoding = this.#member(object, isOld ? 'Encoding' : 'UaEncoding', BuiltInType.Byte) as number;
    const bodyMember = isOld ? 'Body' : 'UaBody';
    const type = jsonStructureOf(typeId, this.#context);
    const wireTypeId = type === undefined ? typeId : binaryEncodingNodeIdOf(type);
    switch (encoding) {
      case JSON_BODY:
        return this.#jsonBody(object, bodyMember, typeId, type);
      case BINARY_BODY:
        return new ExtensionObject(wireTypeId, (this.#member(object, bodyMember, BuiltInType.ByteString) as Buffer | null) ?? undefined);
      case XML_BODY:
        return new ExtensionObject(wireTypeId, this.#xmlBody(object, bodyMember, isOld));
      default:
        throw this.path.malformed(`ExtensionObject encoding ${encoding}`);
    }
  }

  #jsonBody(object: JsonObject, bodyMember: string, typeId: NodeId, type: StructureType<unknown> | undefined): ExtensionObject {
    const isWrapped = Object.hasOwn(object, bodyMember);
    const body = isWrapped ? memberOf(object, bodyMember) : object;
    if (type !== undefined) {
      if (isWrapped) this.path.push(bodyMember);
      const value = this.structure(type, body);
      if (isWrapped) this.path.pop();
      return ExtensionObject.of(type, value);
    }
    const isEmpty = body === null || (isJsonObject(body) && Object.keys(body).every((name) => name === 'UaTypeId' || name === 'TypeId'));
    if (isEmpty) return typeId.isNull ? ExtensionObject.NULL : new ExtensionObject(typeId, undefined);
    if (this.ignoresUnknownStructures) return ExtensionObject.NULL;
    throw this.path.malformed(`structure of the unknown type ${typeId.toString().slice(0, 80)}`);
  }

  /** Base64 of the XML's bytes; the XML itself in the older encoding. */
  #xmlBody(object: JsonObject, bodyMember: string, isOld: boolean): string {
    if (isOld) return (this.#member(object, bodyMember, BuiltInType.String) as string | null) ?? '';
    return ((this.#member(object, bodyMember, BuiltInType.ByteString) as Buffer | null) ?? Buffer.alloc(0)).toString('utf8');
  }

  /** OPC 10000-6 §5.4.2.13. */
  #diagnosticInfo(object: JsonObject): DiagnosticInfo {
    if (isEmpty(object)) return NO_DIAGNOSTIC_INFO;
    const info: { -readonly [K in keyof DiagnosticInfo]: DiagnosticInfo[K] } = {};
    const symbolicId = this.#index(object, 'SymbolicId');
    if (symbolicId !== undefined) info.symbolicId = symbolicId;
    const namespaceUri = this.#index(object, 'NamespaceUri');
    if (namespaceUri !== undefined) info.namespaceUri = namespaceUri;
    const locale = this.#index(object, 'Locale');
    if (locale !== undefined) info.locale = locale;
    const localizedText = this.#index(object, 'LocalizedText');
    if (localizedText !== undefined) info.localizedText = localizedText;
    const additionalInfo = this.#member(object, 'AdditionalInfo', BuiltInType.String) as string | null;
    if (additionalInfo !== null) info.additionalInfo = additionalInfo;
    const innerStatusCode = this.#member(object, 'InnerStatusCode', BuiltInType.StatusCode) as number;
    if (innerStatusCode !== 0) info.innerStatusCode = innerStatusCode;
    const inner = this.#member(object, 'InnerDiagnosticInfo', BuiltInType.DiagnosticInfo) as DiagnosticInfo | null;
    if (inner !== null) info.innerDiagnosticInfo = inner;
    return info;
  }

  /** An index into the string table; undefined for none. */
  #index(object: JsonObject, name: string): number | undefined {
    const json = memberOf(object, name) ?? -1;
    return json === -1 ? undefined : (this.#member(object, name, BuiltInType.Int32) as number);
  }
}

function isEmpty(object: JsonObject): boolean {
  for (const _ in object) return false;
  return true;
}

/** OPC 10000-6 §5.1.2, Table 1. */
function defaultOf(type: BuiltInType): unknown {
  switch (type) {
    case BuiltInType.Null:
      return undefined;
    case BuiltInType.Boolean:
      return false;
    case BuiltInType.Int64:
    case BuiltInType.UInt64:
      return 0n;
    case BuiltInType.DateTime:
      return DateTime.MIN;
    case BuiltInType.Guid:
      return NULL_GUID;
    case BuiltInType.NodeId:
      return NodeId.NULL;
    case BuiltInType.ExpandedNodeId:
      return ExpandedNodeId.NULL;
    case BuiltInType.QualifiedName:
      return QualifiedName.NULL;
    case BuiltInType.LocalizedText:
      return LocalizedText.NULL;
    case BuiltInType.ExtensionObject:
      return ExtensionObject.NULL;
    case BuiltInType.DataValue:
      return NO_DATA_VALUE;
    case BuiltInType.Variant:
      return Variant.NULL;
    default:
      return isNullable(type) ? null : 0;
  }
}

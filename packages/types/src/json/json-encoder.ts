import { formatBase64 } from '../base64.ts';
import { BuiltInType } from '../built-in-type.ts';
import type { DataValue } from '../data-value.ts';
import { DateTime } from '../date-time.ts';
import type { DiagnosticInfo } from '../diagnostic-info.ts';
import type { ExpandedNodeId } from '../expanded-node-id.ts';
import type { ExtensionObject } from '../extension-object.ts';
import { statusCodeEntry } from '../generated/status-code-texts.ts';
import { NULL_GUID } from '../guid.ts';
import type { LocalizedText } from '../localized-text.ts';
import type { NodeId } from '../node-id.ts';
import type { QualifiedName } from '../qualified-name.ts';
import type { StatusCode } from '../status-code.ts';
import type { StructureField, StructureType } from '../structure-type.ts';
import { DecodingError } from '../ua-status-error.ts';
import type { Variant } from '../variant.ts';
import { type JsonContext, type JsonFlavour, type JsonObject, setMember } from './json-context.ts';
import { encodeJsonDateTime } from './json-date-time.ts';
import { encodeJsonExpandedNodeId, encodeJsonNodeId, encodeJsonQualifiedName } from './json-names.ts';
import { encodeJsonFloatingPoint } from './json-numbers.ts';
import { dataTypeNodeIdOf, enumerationLiteral, jsonStructureOf } from './json-structures.ts';

const BINARY_BODY = 1;
const XML_BODY = 2;

/** Makes JSON values (for `JSON.stringify`) of OPC UA values. OPC 10000-6 §5.4. */
export class JsonEncoder {
  readonly #context: JsonContext;
  readonly #isVerbose: boolean;
  /** Values of one message mostly have the same time, and its text takes longer to make than all else of a value. */
  #lastDateTime: DateTime = DateTime.MIN;
  #lastDateTimeText: string | null = null;

  constructor(flavour: JsonFlavour, context: JsonContext) {
    this.#context = context;
    this.#isVerbose = flavour === 'verbose';
  }

  /** OPC 10000-6 §5.4.6 … §5.4.8. */
  structure(type: StructureType<unknown>, value: unknown): JsonObject {
    const json: JsonObject = {};
    this.#fieldsInto(json, type, value as JsonObject);
    return json;
  }

  /** A structure as it stands in an ExtensionObject, and as a message: its DataType comes first. OPC 10000-6 §5.4.2.16, §5.4.9. */
  typedStructure(dataType: NodeId, type: StructureType<unknown>, value: unknown): JsonObject {
    const json: JsonObject = { UaTypeId: encodeJsonNodeId(dataType, this.#context) };
    this.#fieldsInto(json, type, value as JsonObject);
    return json;
  }

  /** A value of a built-in type, as an element of an array has it: null for the null of a nullable type. OPC 10000-6 §5.4.2.1. */
  builtIn(type: BuiltInType, value: unknown): unknown {
    if (value === null || value === undefined) return null;
    switch (type) {
      case BuiltInType.Null:
        return null;
      case BuiltInType.Int64:
      case BuiltInType.UInt64:
        return (value as bigint).toString();
      case BuiltInType.Float:
      case BuiltInType.Double:
        return encodeJsonFloatingPoint(value as number);
      case BuiltInType.DateTime:
        return this.#dateTime(value as DateTime);
      case BuiltInType.Guid:
        return value === '' || value === NULL_GUID ? null : value;
      case BuiltInType.ByteString:
        return formatBase64(value as Uint8Array);
      case BuiltInType.NodeId:
        return isPlainNull(value as NodeId) ? null : encodeJsonNodeId(value as NodeId, this.#context);
      case BuiltInType.ExpandedNodeId:
        return this.#expandedNodeId(value as ExpandedNodeId);
      case BuiltInType.StatusCode:
        return this.#statusCode(value as StatusCode);
      case BuiltInType.QualifiedName:
        return encodeJsonQualifiedName(value as QualifiedName, this.#context);
      case BuiltInType.LocalizedText:
        return localizedText(value as LocalizedText);
      case BuiltInType.ExtensionObject:
        return this.#extensionObject(value as ExtensionObject);
      case BuiltInType.DataValue:
        return this.#dataValue(value as DataValue);
      case BuiltInType.Variant:
        return this.#variant(value as Variant);
      case BuiltInType.DiagnosticInfo:
        return this.#diagnosticInfo(value as DiagnosticInfo);
      default:
        return value;
    }
  }

  #fieldsInto(json: JsonObject, type: StructureType<unknown>, value: JsonObject): void {
    switch (type.kind) {
      case 'union':
        this.#unionInto(json, type, value);
        return;
      case 'optionalFields':
        this.#optionalFieldsInto(json, type, value);
        return;
      default:
        for (const field of type.fields) this.#fieldInto(json, field, value[field.name]);
    }
  }

  #unionInto(json: JsonObject, type: StructureType<unknown>, value: JsonObject): void {
    const switchField =
      typeof value['switchField'] === 'number' ? value['switchField'] : 1 + type.fields.findIndex((f) => value[f.name] !== undefined);
    const field = type.fields[switchField - 1];
    if (field === undefined) return;
    if (!this.#isVerbose) json['SwitchField'] = switchField;
    this.#fieldInto(json, field, value[field.name]);
  }

  #optionalFieldsInto(json: JsonObject, type: StructureType<unknown>, value: JsonObject): void {
    let mask = 0;
    let bit = 1;
    for (const field of type.fields) {
      if (field.optional !== true) continue;
      if (value[field.name] !== undefined) mask += bit;
      bit *= 2;
    }
    // In verbose JSON a field's presence says that it is there.
    if (!this.#isVerbose && mask !== 0) json['EncodingMask'] = mask;
    for (const field of type.fields) {
      const fieldValue = value[field.name];
      if (field.optional !== true || fieldValue !== undefined) this.#fieldInto(json, field, fieldValue);
    }
  }

  #fieldInto(json: JsonObject, field: StructureField, value: unknown): void {
    const fieldJson = this.#field(field, value);
    if (this.#isVerbose || !isDefault(field, fieldJson)) setMember(json, field.specName, fieldJson);
  }

  #field(field: StructureField, value: unknown): unknown {
    if (field.isArray) {
      if (value === null || value === undefined) return null;
      return field.dimensionCount === undefined ? this.#elements(field, value as ArrayLike<unknown>) : this.#matrix(field, value);
    }
    const json = this.#element(field, value);
    // The one null that verbose JSON writes as an empty object. OPC 10000-6 §5.4.2.16.
    return json === null && this.#isVerbose && field.type === BuiltInType.ExtensionObject && field.structure === undefined ? {} : json;
  }

  #elements(field: StructureField, values: ArrayLike<unknown>): unknown[] {
    const elements = new Array<unknown>(values.length);
    for (let i = 0; i < values.length; i++) elements[i] = this.#element(field, values[i]);
    return elements;
  }

  #element(field: StructureField, value: unknown): unknown {
    if (field.structure !== undefined) return value === null || value === undefined ? null : this.structure(field.structure(), value);
    if (field.enumeration !== undefined) return this.#enumeration(field.enumeration, Number(value ?? 0));
    return this.builtIn(field.type, value);
  }

  /** Rows of rows as one array and its dimensions. OPC 10000-6 §5.4.5. */
  #matrix(field: StructureField, value: unknown): JsonObject {
    const dimensions: number[] = [];
    let elements: unknown[] = [value];
    for (let i = 0; i < (field.dimensionCount ?? 0); i++) {
      dimensions.push(Array.isArray(elements[0]) ? elements[0].length : 0);
      elements = elements.flat(1);
    }
    return { Array: this.#elements(field, elements), Dimensions: dimensions };
  }

  #enumeration(enumeration: string, value: number): number | string {
    if (!this.#isVerbose) return value;
    const literal = enumerationLiteral(enumeration, value);
    return literal === undefined ? String(value) : `${literal}_${value}`;
  }

  #dateTime(value: DateTime): string | null {
    if (!value.equals(this.#lastDateTime)) {
      this.#lastDateTime = value;
      this.#lastDateTimeText = encodeJsonDateTime(value);
    }
    return this.#lastDateTimeText;
  }

  #expandedNodeId(value: ExpandedNodeId): string | null {
    const isNull = isPlainNull(value.nodeId) && value.isLocal;
    return isNull ? null : encodeJsonExpandedNodeId(value, this.#context);
  }

  /** OPC 10000-6 §5.4.2.12: Good is an empty object. */
  #statusCode(value: StatusCode): JsonObject {
    if (value === 0) return {};
    const symbol = this.#isVerbose ? statusCodeEntry(value)?.name : undefined;
    return symbol === undefined ? { Code: value } : { Code: value, Symbol: symbol };
  }

  /** OPC 10000-6 §5.4.2.17. */
  #variant(value: Variant): JsonObject | null {
    if (value.type === BuiltInType.Null) return null;
    const json: JsonObject = {};
    this.#variantInto(json, value);
    return json;
  }

  #variantInto(json: JsonObject, value: Variant): void {
    json['UaType'] = value.type;
    const elements = value.elements;
    if (elements !== undefined) {
      const array = new Array<unknown>(elements.length);
      for (let i = 0; i < elements.length; i++) array[i] = this.builtIn(value.type, elements[i]);
      json['Value'] = array;
      if (value.dimensions !== undefined) json['Dimensions'] = value.dimensions;
      return;
    }
    const scalar = this.builtIn(value.type, value.value);
    if (scalar !== null) json['Value'] = scalar;
    // Without a value it would be the default of its type, so a null array of numbers says that it is null.
    else if (value.isArray && !isNullable(value.type)) json['Value'] = null;
  }

  /** OPC 10000-6 §5.4.2.18: the members of the Variant and its own; null when there are none. */
  #dataValue(value: DataValue): JsonObject | null {
    const json: JsonObject = {};
    if (value.value !== undefined && value.value.type !== BuiltInType.Null) this.#variantInto(json, value.value);
    if (value.statusCode !== 0) json['Status'] = this.#statusCode(value.statusCode);
    const sourceTimestamp = this.builtIn(BuiltInType.DateTime, value.sourceTimestamp);
    if (sourceTimestamp !== null) json['SourceTimestamp'] = sourceTimestamp;
    if (value.sourcePicoseconds !== 0) json['SourcePicoseconds'] = value.sourcePicoseconds;
    const serverTimestamp = this.builtIn(BuiltInType.DateTime, value.serverTimestamp);
    if (serverTimestamp !== null) json['ServerTimestamp'] = serverTimestamp;
    if (value.serverPicoseconds !== 0) json['ServerPicoseconds'] = value.serverPicoseconds;
    return Object.keys(json).length === 0 ? null : json;
  }

  /** Structures that are known here become JSON; others keep the encoding they came in. OPC 10000-6 §5.4.2.16. */
  #extensionObject(value: ExtensionObject): JsonObject | null {
    if (value.isNull) return null;
    const content = value.content ?? this.#decodedBody(value);
    const dataType = content === undefined ? undefined : dataTypeNodeIdOf(content.type);
    if (content !== undefined && dataType !== undefined) return this.typedStructure(dataType, content.type, content.value);
    const json: JsonObject = { UaTypeId: encodeJsonNodeId(value.typeId, this.#context) };
    const body = typeof value.body === 'string' ? Buffer.from(value.body, 'utf8') : value.toBinaryBody();
    if (body === undefined) return json;
    json['UaEncoding'] = typeof value.body === 'string' ? XML_BODY : BINARY_BODY;
    json['UaBody'] = formatBase64(body);
    return json;
  }

  #decodedBody(object: ExtensionObject): ExtensionObject['content'] {
    if (object.body === undefined || typeof object.body === 'string') return undefined;
    const type = jsonStructureOf(object.typeId, this.#context);
    if (type === undefined || !object.is(type)) return undefined;
    try {
      return { type, value: object.decode(type) };
    } catch (error) {
      // Bytes that are no such structure go out as the bytes they are.
      if (error instanceof DecodingError) return undefined;
      throw error;
    }
  }

  /** OPC 10000-6 §5.4.2.13: only members that are not the default. */
  #diagnosticInfo(value: DiagnosticInfo): JsonObject {
    const json: JsonObject = {};
    if ((value.symbolicId ?? -1) !== -1) json['SymbolicId'] = value.symbolicId;
    if ((value.namespaceUri ?? -1) !== -1) json['NamespaceUri'] = value.namespaceUri;
    if ((value.locale ?? -1) !== -1) json['Locale'] = value.locale;
    if ((value.localizedText ?? -1) !== -1) json['LocalizedText'] = value.localizedText;
    if ((value.additionalInfo ?? null) !== null) json['AdditionalInfo'] = value.additionalInfo;
    if ((value.innerStatusCode ?? 0) !== 0) json['InnerStatusCode'] = this.#statusCode(value.innerStatusCode as StatusCode);
    if (value.innerDiagnosticInfo !== undefined) json['InnerDiagnosticInfo'] = this.#diagnosticInfo(value.innerDiagnosticInfo);
    return json;
  }
}

/** OPC 10000-6 §5.4.2.15; null when both parts are null or empty. */
function localizedText(value: LocalizedText): JsonObject | null {
  const json: JsonObject = {};
  if (value.locale !== null && value.locale !== '') json['Locale'] = value.locale;
  if (value.text !== null && value.text !== '') json['Text'] = value.text;
  return 'Locale' in json || 'Text' in json ? json : null;
}

/** `i=0`; the other forms of a null NodeId stay what they are. */
function isPlainNull(value: NodeId): boolean {
  return value.namespaceIndex === 0 && value.identifier === 0;
}

/** OPC 10000-6 §5.1.2, Table 1. */
export function isNullable(type: BuiltInType): boolean {
  return type >= BuiltInType.String && type !== BuiltInType.StatusCode;
}

/** What a decoder takes for granted when the field is left out of a compact structure. */
function isDefault(field: StructureField, json: unknown): boolean {
  if (json === null) return true;
  if (field.isArray) return false;
  if (field.structure !== undefined || field.type === BuiltInType.StatusCode) return Object.keys(json as object).length === 0;
  if (field.type === BuiltInType.Boolean) return json === false;
  if (field.type === BuiltInType.Int64 || field.type === BuiltInType.UInt64) return json === '0';
  return field.type < BuiltInType.String && json === 0;
}

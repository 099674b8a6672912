import { BuiltInType } from '../built-in-type.ts';
import {
  RequestHeader,
  type ResponseHeader,
  type SessionlessInvokeRequestType as SessionlessInvoke,
  SessionlessInvokeRequestType,
} from '../generated/service-structures.ts';
import { structureTypeByDataTypeId } from '../generated/structure-registry.ts';
import type { NodeId } from '../node-id.ts';
import type { RequestType, ResponseType, StructureType } from '../structure-type.ts';
import { DecodingError } from '../ua-status-error.ts';
import { isJsonObject, type JsonContext, type JsonFlavour, type JsonObject, memberOf } from './json-context.ts';
import { JsonDecoder } from './json-decoder.ts';
import { JsonEncoder } from './json-encoder.ts';
import { dataTypeNodeIdOf, jsonStructureOf } from './json-structures.ts';

/** A request whose header is decoded and whose body isn't yet. */
export interface JsonRequest {
  /** Undefined when the message names a type that is no request known here. */
  readonly type: RequestType<unknown> | undefined;
  readonly header: RequestHeader;
  /** What came around the request, when it was sent with SessionlessInvoke. OPC 10000-4 §6.3.2. */
  readonly sessionless: SessionlessInvoke | undefined;
  /**
   * The whole request.
   * @throws DecodingError
   */
  decode(): unknown;
}

/**
 * A request or response with its type: an ExtensionObject, as all messages in JSON are. OPC 10000-6 §5.4.9.
 * @returns a value for `JSON.stringify`.
 */
export function encodeJsonMessage<T>(type: StructureType<T>, message: T, flavour: JsonFlavour, context: JsonContext): JsonObject {
  const dataType = dataTypeNodeIdOf(type as StructureType<unknown>);
  if (dataType === undefined) throw new TypeError(`${type.name} has no DataType`);
  return new JsonEncoder(flavour, context).typedStructure(dataType, type as StructureType<unknown>, message);
}

/**
 * Decodes a request's type and header, so that a server can decide before it decodes the rest.
 * @param json parsed JSON; see `parseJson`.
 * @param expected the type when the URL says it, as in an OpenAPI path; the message need not name it then.
 * @throws DecodingError when the message has no readable header, or is of another type than expected.
 */
export function decodeJsonRequest(json: unknown, context: JsonContext, expected?: RequestType<unknown>): JsonRequest {
  const envelope = openEnvelope(json, context);
  if (expected === undefined && isSessionlessInvoke(envelope)) return decodeSessionless(envelope.body, context);
  if (expected !== undefined && envelope.type !== undefined && envelope.type !== expected) {
    throw DecodingError.malformed(`message is a ${envelope.type.name}, not a ${expected.name}`);
  }
  return requestOf(expected ?? envelope.type, envelope.body, context, undefined);
}

/**
 * Decodes a whole response.
 * @param expected the type when the request says it; a ServiceFault is taken too.
 * @throws DecodingError
 */
export function decodeJsonResponse(
  json: unknown,
  context: JsonContext,
  expected?: ResponseType<unknown>,
): { readonly type: ResponseType<unknown>; readonly response: { readonly responseHeader: ResponseHeader } } {
  const envelope = openEnvelope(json, context);
  const type = envelope.type ?? expected;
  if (type === undefined || !('encodeBody' in type)) throw DecodingError.malformed('message is no response known here');
  if (expected !== undefined && type !== expected && type.name !== 'ServiceFault') {
    throw DecodingError.malformed(`message is a ${type.name}, not a ${expected.name}`);
  }
  const response = new JsonDecoder(context).structure(type, envelope.body) as { responseHeader: ResponseHeader };
  return { type: type as ResponseType<unknown>, response };
}

interface Envelope {
  readonly typeId: NodeId;
  readonly type: StructureType<unknown> | undefined;
  /** The object that has the message's fields. */
  readonly body: JsonObject;
}

/** `UaTypeId` among the fields; beside a `UaBody`, or as `TypeId` and `Body`, in older encodings. */
function openEnvelope(json: unknown, context: JsonContext): Envelope {
  if (!isJsonObject(json)) throw DecodingError.malformed('message is no JSON object');
  const isOld = !Object.hasOwn(json, 'UaTypeId') && Object.hasOwn(json, 'TypeId');
  const decoder = new JsonDecoder(context);
  const typeId = decoder.builtIn(BuiltInType.NodeId, memberOf(json, isOld ? 'TypeId' : 'UaTypeId')) as NodeId;
  const bodyMember = isOld ? 'Body' : 'UaBody';
  const body = Object.hasOwn(json, bodyMember) ? memberOf(json, bodyMember) : json;
  if (!isJsonObject(body)) throw DecodingError.malformed(`$.${bodyMember}: not a JSON object`);
  return { typeId, type: jsonStructureOf(typeId, context), body };
}

function isSessionlessInvoke(envelope: Envelope): boolean {
  return envelope.type === SessionlessInvokeRequestType || (envelope.typeId.isNull && Object.hasOwn(envelope.body, 'ServiceId'));
}

function decodeSessionless(json: JsonObject, context: JsonContext): JsonRequest {
  const sessionless = new JsonDecoder(context).structure(SessionlessInvokeRequestType, json);
  const body = memberOf(json, 'Body');
  if (!isJsonObject(body)) throw DecodingError.malformed('$.Body: not a JSON object');
  const type = structureTypeByDataTypeId(sessionless.serviceId);
  return requestOf(type, openEnvelope(body, context).body, sessionlessContext(sessionless, context), sessionless);
}

/** With a UrisVersion the server's own tables count, else those of the message, which leave out their first entries. */
function sessionlessContext(sessionless: SessionlessInvoke, context: JsonContext): JsonContext {
  if (sessionless.urisVersion !== 0) return context;
  const { namespaceUris, serverUris } = sessionless;
  return {
    ...context,
    messageUris: { namespaceUris: withFirst(context.namespaceUris, namespaceUris), serverUris: withFirst(context.serverUris, serverUris) },
  };
}

function withFirst(own: readonly string[], others: readonly (string | null)[] | null): readonly string[] | undefined {
  return others === null ? undefined : [own[0] ?? '', ...others.map((uri) => uri ?? '')];
}

function requestOf(
  type: StructureType<unknown> | undefined,
  body: JsonObject,
  context: JsonContext,
  sessionless: SessionlessInvoke | undefined,
): JsonRequest {
  const known = type !== undefined && 'decodeBody' in type ? (type as RequestType<unknown>) : undefined;
  const decoder = new JsonDecoder(context);
  decoder.path.push('RequestHeader');
  // OPC 10000-4 §7.33: who doesn't understand an AdditionalHeader ignores it.
  decoder.ignoresUnknownStructures = true;
  const header = decoder.structure(RequestHeader, memberOf(body, 'RequestHeader'));
  return {
    type: known,
    header,
    sessionless,
    decode() {
      if (known === undefined) throw DecodingError.malformed('message is no request known here');
      return decodeRest(known, header, body, context);
    },
  };
}

function decodeRest(type: RequestType<unknown>, header: RequestHeader, body: JsonObject, context: JsonContext): unknown {
  const decoder = new JsonDecoder(context);
  decoder.path.enterNestingLevel();
  const fields: JsonObject = { requestHeader: header };
  for (const field of type.fields) {
    if (field.name !== 'requestHeader') fields[field.name] = decoder.field(field, memberOf(body, field.specName));
  }
  return type.create(fields as never);
}

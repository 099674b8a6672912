import { formatBase64, parseBase64 } from '../base64.ts';
import { BuiltInType } from '../built-in-type.ts';
import { ExpandedNodeId } from '../expanded-node-id.ts';
import { isGuid } from '../guid.ts';
import { IdentifierType, NodeId } from '../node-id.ts';
import { QualifiedName } from '../qualified-name.ts';
import { isJsonObject, type JsonContext, type JsonObject, memberOf } from './json-context.ts';
import { decodeJsonInteger } from './json-numbers.ts';
import type { JsonPath } from './json-path.ts';

const OPC_UA_URI = 'http://opcfoundation.org/UA/';

/** A NodeId as text with the namespace's URI, or its index when that has no URI. OPC 10000-6 §5.1.12, §5.4.2.10. */
export function encodeJsonNodeId(value: NodeId, context: JsonContext): string {
  return `${namespacePrefix(value.namespaceIndex, context)}${identifierText(value)}`;
}

/** OPC 10000-6 §5.4.2.11. */
export function encodeJsonExpandedNodeId(value: ExpandedNodeId, context: JsonContext): string {
  const { namespaceUri, nodeId, serverIndex } = value;
  const serverUri = serverIndex === 0 ? undefined : context.serverUris[serverIndex];
  const server = serverIndex === 0 ? '' : serverUri === undefined ? `svr=${serverIndex};` : `svu=${escapeUri(serverUri)};`;
  if (namespaceUri === undefined || namespaceUri === '') return server + encodeJsonNodeId(nodeId, context);
  return `${server}${namespaceUri === OPC_UA_URI ? '' : `nsu=${escapeUri(namespaceUri)};`}${identifierText(nodeId)}`;
}

/** OPC 10000-6 §5.4.2.14. A null name in another namespace than 0 becomes an empty one. */
export function encodeJsonQualifiedName(value: QualifiedName, context: JsonContext): string | null {
  const { name, namespaceIndex } = value;
  // With an index, a name that looks as if it had one stays what it is.
  if (namespaceIndex === 0) return name !== null && /^\d{1,5}:/u.test(name) ? `0:${name}` : name;
  const uri = context.namespaceUris[namespaceIndex];
  return uri === undefined ? `${namespaceIndex}:${name ?? ''}` : `nsu=${escapeUri(uri)};${name ?? ''}`;
}

/** Text, or the object of the older encoding. A namespace that is unknown here makes the text a string identifier (§5.4.2.10). */
export function decodeJsonNodeId(json: unknown, context: JsonContext, path: JsonPath): NodeId {
  if (isJsonObject(json)) return decodeOldNodeId(json, context, path);
  const text = textOf(json, 'NodeId', path);
  const [namespace, identifier] = splitNamespace(text, context, path);
  const namespaceIndex = typeof namespace === 'string' ? indexOfNamespace(namespace, context) : namespace;
  return namespaceIndex === undefined ? unknownNodeId(text) : parseIdentifier(namespaceIndex, identifier, path);
}

/** Text, or the object of the older encoding. OPC 10000-6 §5.4.2.11. */
export function decodeJsonExpandedNodeId(json: unknown, context: JsonContext, path: JsonPath): ExpandedNodeId {
  if (isJsonObject(json)) return decodeOldExpandedNodeId(json, context, path);
  const text = textOf(json, 'ExpandedNodeId', path);
  const match = /^(?:svr=(\d{1,10});|svu=([^;]*);)?(.*)$/su.exec(text);
  let serverIndex = 0;
  if (match?.[1] !== undefined) serverIndex = indexOfServer(Number(match[1]), context, path);
  else if (match?.[2] !== undefined) serverIndex = context.serverUris.indexOf(unescapeUri(match[2], path));
  if (serverIndex < 0) return new ExpandedNodeId(unknownNodeId(text));
  const [namespace, identifier] = splitNamespace(match?.[3] ?? '', context, path);
  return expandedNodeId(namespace, serverIndex, (namespaceIndex) => parseIdentifier(namespaceIndex, identifier, path), context);
}

/** Text, or the object of the older encoding. A namespace that is unknown here makes the text the name (§5.4.2.14). */
export function decodeJsonQualifiedName(json: unknown, context: JsonContext, path: JsonPath): QualifiedName {
  if (isJsonObject(json)) return decodeOldQualifiedName(json, context, path);
  const text = textOf(json, 'QualifiedName', path);
  const match = /^(?:(\d{1,5}):|nsu=([^;]*);)(.*)$/su.exec(text);
  if (match === null) return new QualifiedName(0, text);
  const namespace = match[1] === undefined ? unescapeUri(match[2] ?? '', path) : namespaceOf(Number(match[1]), context, path);
  const namespaceIndex = typeof namespace === 'string' ? indexOfNamespace(namespace, context) : namespace;
  return namespaceIndex === undefined ? new QualifiedName(0, text) : new QualifiedName(namespaceIndex, match[3] ?? '');
}

function namespacePrefix(namespaceIndex: number, context: JsonContext): string {
  if (namespaceIndex === 0) return '';
  const uri = context.namespaceUris[namespaceIndex];
  return uri === undefined ? `ns=${namespaceIndex};` : `nsu=${escapeUri(uri)};`;
}

function identifierText(value: NodeId): string {
  switch (value.identifierType) {
    case IdentifierType.Numeric:
      return `i=${value.identifier as number}`;
    case IdentifierType.String:
      return `s=${value.identifier as string}`;
    case IdentifierType.Guid:
      return `g=${value.identifier as string}`;
    default:
      return `b=${formatBase64(value.identifier as Uint8Array)}`;
  }
}

function textOf(json: unknown, type: string, path: JsonPath): string {
  if (typeof json !== 'string') throw path.malformed(`not a ${type}`);
  if (json.length > path.limits.maxStringBytes) throw path.limitExceeded(`${type} of ${json.length} characters`);
  return json;
}

/** The namespace's index or URI, and what comes after it. */
function splitNamespace(text: string, context: JsonContext, path: JsonPath): [number | string, string] {
  const match = /^(?:ns=(\d{1,5});|nsu=([^;]*);)?(.*)$/su.exec(text);
  const identifier = match?.[3] ?? '';
  if (match?.[1] !== undefined) return [namespaceOf(Number(match[1]), context, path), identifier];
  return [match?.[2] === undefined ? 0 : unescapeUri(match[2], path), identifier];
}

/** An index as it is, or the URI that it stands for in the message's own table. */
function namespaceOf(index: unknown, context: JsonContext, path: JsonPath): number | string {
  const namespaceIndex = decodeJsonInteger(BuiltInType.UInt16, index, path);
  if (namespaceIndex === 0 || context.messageUris?.namespaceUris === undefined) return namespaceIndex;
  const uri = context.messageUris.namespaceUris[namespaceIndex];
  if (uri === undefined) throw path.malformed(`namespace index ${namespaceIndex} is not in the message's NamespaceUris`);
  return uri;
}

/** Negative when the server is not known here. */
function indexOfServer(index: unknown, context: JsonContext, path: JsonPath): number {
  const serverIndex = decodeJsonInteger(BuiltInType.UInt32, index, path);
  if (serverIndex === 0 || context.messageUris?.serverUris === undefined) return serverIndex;
  const uri = context.messageUris.serverUris[serverIndex];
  if (uri === undefined) throw path.malformed(`server index ${serverIndex} is not in the message's ServerUris`);
  return context.serverUris.indexOf(uri);
}

function parseIdentifier(namespaceIndex: number, text: string, path: JsonPath): NodeId {
  const value = text.slice(2);
  switch (text.slice(0, 2)) {
    case 'i=':
      if (!/^\d{1,10}$/u.test(value)) throw path.malformed('not a numeric identifier');
      return NodeId.numeric(namespaceIndex, decodeJsonInteger(BuiltInType.UInt32, Number(value), path));
    case 's=':
      return NodeId.string(namespaceIndex, value);
    case 'g=':
      return guidNodeId(namespaceIndex, value, path);
    case 'b=':
      return opaqueNodeId(namespaceIndex, value, path);
    default:
      throw path.malformed('not a NodeId');
  }
}

function guidNodeId(namespaceIndex: number, value: unknown, path: JsonPath): NodeId {
  if (typeof value !== 'string' || !isGuid(value)) throw path.malformed('not a Guid identifier');
  return NodeId.guid(namespaceIndex, value);
}

function opaqueNodeId(namespaceIndex: number, value: unknown, path: JsonPath): NodeId {
  return NodeId.opaque(namespaceIndex, decodeJsonBytes(value, path));
}

/** Base64 with the limit of a ByteString; an empty text is no bytes. OPC 10000-6 §5.4.2.8. */
export function decodeJsonBytes(json: unknown, path: JsonPath): Buffer {
  if (typeof json !== 'string') throw path.malformed('not base64');
  const byteCount = Math.floor((json.length * 3) / 4);
  if (byteCount > path.limits.maxByteStringBytes + 2) throw path.limitExceeded(`byte string of ${byteCount} bytes`);
  try {
    return parseBase64(json);
  } catch {
    throw path.malformed('not base64');
  }
}

/** A NodeId that no server has: it keeps the text it came as. */
function unknownNodeId(text: string): NodeId {
  return NodeId.string(0, text);
}

/** Undefined when the namespace is not known here. */
function indexOfNamespace(uri: string, context: JsonContext): number | undefined {
  if (uri === OPC_UA_URI) return 0;
  const index = context.namespaceUris.indexOf(uri);
  return index < 0 ? undefined : index;
}

function expandedNodeId(
  namespace: number | string,
  serverIndex: number,
  toNodeId: (namespaceIndex: number) => NodeId,
  context: JsonContext,
): ExpandedNodeId {
  if (typeof namespace === 'number') return new ExpandedNodeId(toNodeId(namespace), undefined, serverIndex);
  // Another server has other namespaces, so its URIs stay URIs.
  const namespaceIndex = serverIndex === 0 ? indexOfNamespace(namespace, context) : undefined;
  return namespaceIndex === undefined
    ? new ExpandedNodeId(toNodeId(0), namespace, serverIndex)
    : new ExpandedNodeId(toNodeId(namespaceIndex));
}

/** OPC 10000-6 §H.2. */
function decodeOldNodeId(json: JsonObject, context: JsonContext, path: JsonPath): NodeId {
  const namespace = oldNamespace(memberOf(json, 'Namespace'), context, path);
  if (typeof namespace === 'number') return oldIdentifier(namespace, json, path);
  const namespaceIndex = indexOfNamespace(namespace, context);
  const nodeId = oldIdentifier(namespaceIndex ?? 0, json, path);
  return namespaceIndex === undefined ? unknownNodeId(`nsu=${escapeUri(namespace)};${identifierText(nodeId)}`) : nodeId;
}

function oldNamespace(json: unknown, context: JsonContext, path: JsonPath): number | string {
  return typeof json === 'string' ? json : namespaceOf(json ?? 0, context, path);
}

function oldIdentifier(namespaceIndex: number, json: JsonObject, path: JsonPath): NodeId {
  const id = memberOf(json, 'Id') ?? 0;
  switch (memberOf(json, 'IdType') ?? IdentifierType.Numeric) {
    case IdentifierType.Numeric:
      return NodeId.numeric(namespaceIndex, decodeJsonInteger(BuiltInType.UInt32, id, path));
    case IdentifierType.String:
      return NodeId.string(namespaceIndex, textOf(id, 'string identifier', path));
    case IdentifierType.Guid:
      return guidNodeId(namespaceIndex, id, path);
    case IdentifierType.Opaque:
      return opaqueNodeId(namespaceIndex, id, path);
    default:
      throw path.malformed('not an IdType');
  }
}

/** OPC 10000-6 §H.3. */
function decodeOldExpandedNodeId(json: JsonObject, context: JsonContext, path: JsonPath): ExpandedNodeId {
  const server = memberOf(json, 'ServerUri') ?? 0;
  const serverIndex = typeof server === 'string' ? context.serverUris.indexOf(server) : indexOfServer(server, context, path);
  if (serverIndex < 0)
    return new ExpandedNodeId(unknownNodeId(`svu=${escapeUri(server as string)};${identifierText(oldIdentifier(0, json, path))}`));
  const namespace = oldNamespace(memberOf(json, 'Namespace'), context, path);
  return expandedNodeId(namespace, serverIndex, (namespaceIndex) => oldIdentifier(namespaceIndex, json, path), context);
}

/** OPC 10000-6 §H.5. */
function decodeOldQualifiedName(json: JsonObject, context: JsonContext, path: JsonPath): QualifiedName {
  const given = memberOf(json, 'Name') ?? null;
  const name = given === null ? null : textOf(given, 'Name', path);
  const uri = oldNamespace(memberOf(json, 'Uri'), context, path);
  if (typeof uri === 'number') return new QualifiedName(uri, name);
  const namespaceIndex = indexOfNamespace(uri, context);
  return namespaceIndex === undefined
    ? new QualifiedName(0, `nsu=${escapeUri(uri)};${name ?? ''}`)
    : new QualifiedName(namespaceIndex, name);
}

function escapeUri(uri: string): string {
  return uri.replaceAll('%', '%25').replaceAll(';', '%3B');
}

function unescapeUri(text: string, path: JsonPath): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    throw path.malformed('URI with a wrong percent-encoding');
  }
}

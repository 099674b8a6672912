import { type IpAddress, parseIpAddress } from './ip-address.ts';

/** A hop that is hidden, unknown or nonsense is undefined. */
export type Hop = IpAddress | undefined;

/** Of a longer header only this much of its end is looked at. */
const MAX_HEADER_LENGTH = 8_192;

/**
 * The hops of an X-Forwarded-For header, nearest first. It is read from its end: that part was written by the proxies nearest to us,
 * and nothing a client puts before it can change how it is read.
 */
export function xForwardedForHops(header: string, maxHops: number): Hop[] {
  return elementsFromEnd(header, maxHops).map(parseNode);
}

/** The `for` hops of a Forwarded header (RFC 7239 §4), nearest first; read as {@link xForwardedForHops} is. */
export function forwardedHops(header: string, maxHops: number): Hop[] {
  return elementsFromEnd(header, maxHops).map((element) => {
    const nodes = splitFromEnd(element, ';', element.length).flatMap(forParameter);
    return nodes.length === 1 ? parseNode(unquote(nodes[0]!)) : undefined;
  });
}

function elementsFromEnd(header: string, maxHops: number): string[] {
  if (header.length <= MAX_HEADER_LENGTH) return splitFromEnd(header, ',', maxHops);
  const elements = splitFromEnd(header.slice(-MAX_HEADER_LENGTH), ',', maxHops + 1);
  // The last is cut through or one too many.
  elements.pop();
  return elements;
}

/** Splits at separators outside quoted strings, last part first; leaves out empty parts and what an unpaired quote begins. */
function splitFromEnd(text: string, separator: string, maxParts: number): string[] {
  const parts: string[] = [];
  let end = text.length;
  let quoted = false;
  for (let at = text.length - 1; at >= -1 && parts.length < maxParts; at--) {
    const char = at === -1 ? separator : text[at];
    if (char === '"' && !isEscaped(text, at)) quoted = !quoted;
    if (char !== separator || quoted) continue;
    const part = text.slice(at + 1, end).trim();
    if (part !== '') parts.push(part);
    end = at;
  }
  return parts;
}

function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (before > 0 && text[before - 1] === '\\') before--;
  return (at - before) % 2 === 1;
}

function forParameter(pair: string): string[] {
  const [, value] = /^for=(.*)$/is.exec(pair) ?? [];
  return value === undefined ? [] : [value];
}

function unquote(value: string): string {
  if (value.length < 2 || !value.startsWith('"') || !value.endsWith('"')) return value;
  return value.slice(1, -1).replace(/\\(.)/gs, '$1');
}

/** `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]`, `[2001:db8::1]:80`. */
function parseNode(node: string): Hop {
  const [, bracketed] = /^\[([^\]]*)\](?::[\w.-]*)?$/.exec(node) ?? [];
  if (bracketed !== undefined) return bracketed.includes(':') ? parseIpAddress(bracketed) : undefined;
  const [, ipv4] = /^([^:]*):[^:]*$/.exec(node) ?? [];
  return parseIpAddress(ipv4 ?? node);
}

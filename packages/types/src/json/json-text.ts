import { defaultEncodingLimits, type EncodingLimits } from '../encoding-limits.ts';
import { DecodingError } from '../ua-status-error.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** JSON levels that one level of nesting in OPC UA may take: an object, its array, an element, a member. */
const JSON_LEVELS_PER_NESTING_LEVEL = 4;

/**
 * Parses a JSON text within bounds: its depth is checked before anything is made of it, and an object that has two members
 * of the same name is refused (OPC 10000-6 §5.4.2.16). The caller bounds the text's length; the value takes at most some
 * 30 times its bytes.
 * @param text JSON, or its bytes in UTF-8.
 * @throws DecodingError
 */
export function parseJson(text: string | Uint8Array, limits: EncodingLimits = defaultEncodingLimits): unknown {
  const json = typeof text === 'string' ? text : decodeUtf8(text);
  const members = countMembersInText(json, limits.maxNestingLevel * JSON_LEVELS_PER_NESTING_LEVEL);
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw DecodingError.malformed('not JSON');
  }
  if (countMembers(value) !== members) throw DecodingError.malformed('JSON object with two members of the same name');
  return value;
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw DecodingError.malformed('JSON that is not UTF-8');
  }
}

/** The number of colons outside strings, which is the number of members when the text is JSON. */
function countMembersInText(json: string, maxDepth: number): number {
  let members = 0;
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    switch (json.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(json, at);
        break;
      case COLON:
        members++;
        break;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        depth++;
        if (depth > maxDepth) throw DecodingError.limitExceeded(`JSON nested deeper than ${maxDepth}`);
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        depth--;
        break;
    }
  }
  return members;
}

/** Index of the quote that ends a string; the text's length when none does. */
function endOfString(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) return at;
    at += code === BACKSLASH ? 2 : 1;
  }
  return json.length;
}

/** Recursion is safe here: the text's depth was checked. */
function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let members = 0;
  if (Array.isArray(value)) {
    for (const element of value) members += countMembers(element);
    return members;
  }
  for (const name of Object.keys(value)) members += 1 + countMembers((value as Record<string, unknown>)[name]);
  return members;
}

/** The all-zero GUID. */
export const NULL_GUID = '00000000-0000-0000-0000-000000000000';

const GUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/iu;

/** True when the text is a GUID of 36 characters, in any case. */
export function isGuid(text: string): boolean {
  return text.length === 36 && GUID_PATTERN.test(text);
}

/** Up to here the engine keeps no reference to a longer text. */
const MAX_SHORT_LENGTH = 12;

/**
 * The same text in memory of its own. A text cut out of a document, or put together from others, keeps those alive:
 * a name that a node holds for ever must not hold a whole NodeSet.
 */
export function compactText(text: string): string {
  return text.length <= MAX_SHORT_LENGTH ? text : Buffer.from(text, 'utf8').toString('utf8');
}

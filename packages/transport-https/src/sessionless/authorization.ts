/** What an `Authorization` header says. RFC 7617, RFC 6750. */
export type Authorization =
  | { readonly kind: 'none' }
  | { readonly kind: 'basic'; readonly userName: string; readonly password: Buffer }
  | { readonly kind: 'bearer'; readonly token: string }
  | { readonly kind: 'unknown' };

const COLON = 0x3a;

/** Never throws: what can't be read is of no known kind. */
export function parseAuthorization(header: string | undefined): Authorization {
  if (header === undefined || header.trim() === '') return { kind: 'none' };
  const text = header.trim();
  const at = text.indexOf(' ');
  const scheme = text.slice(0, at).toLowerCase();
  const value = text.slice(at + 1).trim();
  if (at < 0 || value === '') return { kind: 'unknown' };
  if (scheme === 'bearer') return { kind: 'bearer', token: value };
  if (scheme !== 'basic') return { kind: 'unknown' };
  const pair = Buffer.from(value, 'base64');
  const colon = pair.indexOf(COLON);
  if (colon <= 0) return { kind: 'unknown' };
  return { kind: 'basic', userName: pair.toString('utf8', 0, colon), password: pair.subarray(colon + 1) };
}

/** Most languages that are kept, and their length. */
const MAX_LOCALES = 16;
const MAX_LOCALE_LENGTH = 64;

/** Locales of an `Accept-Language` header, best first, equals in their order. OPC 10000-6 §7.4.2. */
export function localesOf(header: string | undefined): string[] {
  if (header === undefined) return [];
  const ranked = header.split(',', MAX_LOCALES).map((part) => {
    const [locale = '', ...parameters] = part.split(';').map((piece) => piece.trim());
    const quality = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1);
    return { locale, quality: Number.isFinite(quality) ? quality : 0 };
  });
  return ranked
    .filter(({ locale, quality }) => locale !== '' && locale !== '*' && locale.length <= MAX_LOCALE_LENGTH && quality > 0)
    .sort((a, b) => b.quality - a.quality)
    .map(({ locale }) => locale);
}

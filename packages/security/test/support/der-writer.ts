/** A DER element of the given tag and parts. */
export function der(tag: number, ...parts: (Uint8Array | string)[]): Buffer {
  const content = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)));
  return Buffer.concat([Buffer.from([tag]), derLength(content.length), content]);
}

function derLength(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest & 0xff);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

export const sequence = (...parts: Uint8Array[]): Buffer => der(0x30, ...parts);
export const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));
export const integer = (hex: string): Buffer => der(0x02, Buffer.from(hex, 'hex'));
export const boolean = (value: boolean): Buffer => der(0x01, Buffer.from([value ? 0xff : 0]));
export const bitString = (bytes: Uint8Array, unused = 0): Buffer => der(0x03, Buffer.from([unused]), bytes);

export function name(commonName: string): Buffer {
  return sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(commonName, 'utf8')))));
}

export function time(ms: number): Buffer {
  return der(0x18, `${new Date(ms).toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z`);
}

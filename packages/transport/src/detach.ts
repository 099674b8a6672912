/** A buffer that has to wait, on its own: one that is cut from a slab which others share must not keep the whole slab alive. */
export function detach(buffer: Buffer): Buffer {
  if (2 * buffer.length >= buffer.buffer.byteLength) return buffer;
  const own = Buffer.allocUnsafeSlow(buffer.length);
  buffer.copy(own);
  return own;
}

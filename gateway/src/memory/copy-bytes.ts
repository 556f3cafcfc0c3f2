/**
 * Returns a copy in memory of its own. A copy by `Buffer.from` would share 64 KiB with other copies, and each of them
 * would keep the whole.
 */
export function copyBytes(bytes: Uint8Array): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length)
  copy.set(bytes)
  return copy
}

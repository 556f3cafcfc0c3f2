/**
 * The most bytes and certificates of all further authorities together. The gateway reads them into one TLS context, in
 * one step of some 40 ms with the authorities of the machine. A list of all public authorities has 150 certificates in
 * 220 KiB.
 */
export const AUTHORITIES_LIMIT = { bytes: 512 * 1024, certificates: 400 } as const

const BEGINNING = '-----BEGIN '

/** Returns the indexes of the PEM texts that don't fit beside the texts before them. */
export function excessAuthorities(texts: readonly string[]): ReadonlySet<number> {
  const excess = new Set<number>()
  let { bytes, certificates }: { bytes: number; certificates: number } = AUTHORITIES_LIMIT
  for (const [index, text] of texts.entries()) {
    const length = Buffer.byteLength(text)
    const count = length > bytes ? 0 : text.split(BEGINNING).length - 1
    if (length > bytes || count > certificates) {
      excess.add(index)
      continue
    }
    bytes -= length
    certificates -= count
  }
  return excess
}

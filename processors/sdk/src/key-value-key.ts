const MAX_KEY_BYTES = 1_024
/** Marks a key that UTF-8 can't hold: the empty one and those with half a surrogate pair. */
const UTF16_MARK = '='

/** A key as one token of a bus subject: dots, spaces and wildcards mean nothing there; undefined where it is too long. */
export function encodeKey(key: string): string | undefined {
  if (Buffer.byteLength(key) > MAX_KEY_BYTES) return undefined
  if (key !== '' && key.isWellFormed()) return Buffer.from(key).toString('base64url')
  return UTF16_MARK + Buffer.from(key, 'utf16le').toString('base64url')
}

/** The key a token stands for; undefined where somebody else wrote it by other rules. */
export function decodeKey(token: string): string | undefined {
  const key = token.startsWith(UTF16_MARK)
    ? Buffer.from(token.slice(UTF16_MARK.length), 'base64url').toString('utf16le')
    : Buffer.from(token, 'base64url').toString()
  return encodeKey(key) === token ? key : undefined
}

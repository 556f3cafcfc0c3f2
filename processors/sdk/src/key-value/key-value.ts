/** A bucket of the bus's key-value store: state that replicas share and that survives their restarts. */
export type KeyValueOptions = {
  /** Letters, digits, `_` and `-`; the bucket is made when it is missing. */
  readonly bucket: string
  /** Milliseconds for which a value is kept; absent: for ever. */
  readonly ttlMs?: number
  /** The size of the bucket in bytes; writes to a full bucket fail. */
  readonly maxBytes: number
  /** `file` survives a restart of the bus, `memory` doesn't. */
  readonly storage: 'file' | 'memory'
}

export type KeyValueEntry = {
  readonly value: Uint8Array
  /** Grows with every write to the bucket. */
  readonly revision: number
}

export type WriteOutcome =
  | { readonly kind: 'written'; readonly revision: number }
  /** Another client wrote the key first. */
  | { readonly kind: 'conflict' }
  | { readonly kind: 'failed'; readonly error: 'unavailable' | 'too large' | 'full' }

export type ReadOutcome =
  | { readonly kind: 'found'; readonly entry: KeyValueEntry }
  | { readonly kind: 'missing' }
  | { readonly kind: 'failed'; readonly error: 'unavailable' }

/**
 * A bucket's operations. Keys are any strings up to 1 KB: the store's limits on letters are hidden. No operation
 * rejects.
 */
export type KeyValue = {
  get(key: string): Promise<ReadOutcome>
  put(key: string, value: Uint8Array): Promise<WriteOutcome>
  /** Writes only when the key's newest revision is `revision`; 0: only when the key doesn't exist. */
  update(key: string, value: Uint8Array, revision: number): Promise<WriteOutcome>
  delete(key: string): Promise<WriteOutcome>
  /**
   * Reports every existing entry, then every change in order (undefined = deleted or expired). After a lost connection
   * all entries are reported again. The watch starts as soon as the store can be reached.
   */
  watch(changed: (key: string, entry: KeyValueEntry | undefined) => void): Watch
}

export type Watch = {
  /** Resolves once every existing entry has been reported. */
  readonly ready: Promise<void>
  close(): Promise<void>
}

const MAX_KEY_BYTES = 1_024
/** Marks a key in UTF-16: the empty key, whose UTF-8 would be no token, and keys with half a surrogate pair. */
const UTF16_MARK = '='

/** Encodes a key as one token of a subject, free of dots, spaces and wildcards; undefined when the key is too long. */
export function encodeKey(key: string): string | undefined {
  if (Buffer.byteLength(key) > MAX_KEY_BYTES) return undefined
  if (key !== '' && key.isWellFormed()) return Buffer.from(key).toString('base64url')
  return UTF16_MARK + Buffer.from(key, 'utf16le').toString('base64url')
}

/** Decodes a token to its key; undefined when another program wrote the token in another encoding. */
export function decodeKey(token: string): string | undefined {
  const key = token.startsWith(UTF16_MARK)
    ? Buffer.from(token.slice(UTF16_MARK.length), 'base64url').toString('utf16le')
    : Buffer.from(token, 'base64url').toString()
  return encodeKey(key) === token ? key : undefined
}

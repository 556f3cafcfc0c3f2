/** State that replicas share and that outlives them: one bucket of the bus's key-value store. */
export type KeyValueOptions = {
  /** Letters, digits, `_` and `-`; made where it doesn't exist. */
  readonly bucket: string
  /** Milliseconds a value is kept; left out: for ever. */
  readonly ttlMs?: number
  /** What the bucket may hold in all; when it is full, writes fail. */
  readonly maxBytes: number
  /** `file` outlives the bus, `memory` doesn't. */
  readonly storage: 'file' | 'memory'
}

export type KeyValueEntry = {
  readonly value: Uint8Array
  /** Grows with every write to the bucket. */
  readonly revision: number
}

export type WriteOutcome =
  | { readonly kind: 'written'; readonly revision: number }
  /** Somebody else wrote first. */
  | { readonly kind: 'conflict' }
  | { readonly kind: 'failed'; readonly error: 'unavailable' | 'too large' | 'full' }

export type ReadOutcome =
  | { readonly kind: 'found'; readonly entry: KeyValueEntry }
  | { readonly kind: 'missing' }
  | { readonly kind: 'failed'; readonly error: 'unavailable' }

/** Keys are any strings up to 1 KB: the store's own limits on their letters are hidden. Nothing here ever rejects. */
export type KeyValue = {
  get(key: string): Promise<ReadOutcome>
  put(key: string, value: Uint8Array): Promise<WriteOutcome>
  /** Writes only where the key's newest revision is still `revision`; 0 = only where there is no such key. */
  update(key: string, value: Uint8Array, revision: number): Promise<WriteOutcome>
  delete(key: string): Promise<WriteOutcome>
  /**
   * Tells every entry there is, then every change (undefined = deleted or expired), in order; goes on after a lost
   * connection, by telling all of them again. Starts as soon as the store can be reached.
   */
  watch(changed: (key: string, entry: KeyValueEntry | undefined) => void): Watch
}

export type Watch = {
  /** Resolves once every entry there was has been told. */
  readonly ready: Promise<void>
  close(): Promise<void>
}

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

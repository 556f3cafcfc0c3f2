/**
 * The most JSON bytes of a message; the record of a larger message would be cut for the bus (max_payload 32 MB, four
 * payloads).
 */
const MAX_BYTES = 8 * 1024 * 1024
/** The most keys, choices, blocks, items and tool calls of a message; a real message has some hundreds. */
const MAX_ENTRIES = 10_000
/** The most bytes of the keys together, which are encoded in one turn at the end; real messages have some thousand. */
const MAX_KEY_BYTES = 1024 * 1024
/** The entries that a choice, block, item, part or tool call counts as, because of its maps and objects. */
export const CONTAINER_ENTRIES = 5
/** The most pieces of text that aren't joined yet; each growing text has at most 64. */
const MAX_PIECES = 100_000

/** V8's memory for a slot of a Map with its object, and for a short piece in a chain of strings. */
const ENTRY_BYTES = 200
const PIECE_BYTES = 64

/** Counts the memory of a message being assembled; finished events don't count. */
export class MessageSize {
  #bytes = 0
  #keyBytes = 0
  #entries = 0
  #pieces = 0

  /** Counts JSON bytes; negative for bytes that were replaced. */
  add(bytes: number): void {
    this.#bytes += bytes
  }

  /** Counts the JSON bytes of keys. */
  addKeys(bytes: number): void {
    this.#bytes += bytes
    this.#keyBytes += bytes
  }

  addEntries(entries: number): void {
    this.#entries += entries
  }

  addPieces(pieces: number): void {
    this.#pieces += pieces
  }

  get isBeyondBounds(): boolean {
    return (
      this.#bytes > MAX_BYTES ||
      this.#keyBytes > MAX_KEY_BYTES ||
      this.#entries > MAX_ENTRIES ||
      this.#pieces > MAX_PIECES
    )
  }

  /** An upper estimate of the memory: a growing buffer is at most half empty. */
  get memoryBytes(): number {
    return 2 * this.#bytes + ENTRY_BYTES * this.#entries + PIECE_BYTES * this.#pieces
  }
}

/** JSON bytes of one message; a record of more would be cut for the bus (its max_payload is 32 MB, four payloads fit). */
const MOST_BYTES = 8 * 1024 * 1024
/** Keys, choices, blocks, items and tool calls of one message: an honest one has some hundreds. */
const MOST_ENTRIES = 10_000
/** A choice, block, item, part or tool call counts as so many entries, its maps and objects being as large. */
export const CONTAINER_ENTRIES = 5
/** Pieces of text that aren't put together yet: 64 in each growing text. */
const MOST_PIECES = 100_000

/** V8's memory for a slot of a Map with its object, and for a short piece of text in a chain of them. */
const ENTRY_BYTES = 200
const PIECE_BYTES = 64

/** Counts the memory of one message that is being assembled; events that are done with do not count. */
export class MessageSize {
  #bytes = 0
  #entries = 0
  #pieces = 0

  /** Takes bytes of JSON; fewer than zero where some were replaced. */
  add(bytes: number): void {
    this.#bytes += bytes
  }

  addEntries(entries: number): void {
    this.#entries += entries
  }

  addPieces(pieces: number): void {
    this.#pieces += pieces
  }

  get isBeyondBounds(): boolean {
    return this.#bytes > MOST_BYTES || this.#entries > MOST_ENTRIES || this.#pieces > MOST_PIECES
  }

  /** An upper estimate of the memory: buffers that grow have at most twice the bytes in them. */
  get memoryBytes(): number {
    return 2 * this.#bytes + ENTRY_BYTES * this.#entries + PIECE_BYTES * this.#pieces
  }
}

/** A connection whose bytes take longer to parse, in milliseconds, is read in smaller pieces. */
const SLOW_MS = 4
/**
 * The most and the fewest bytes that undici gets at once. Without the bound node would join all bytes that a connection
 * holds to one buffer each time that undici was paused and reads on.
 */
export const PIECE_BYTES = { most: 64 * 1024, fewest: 4 * 1024 } as const

/** A connection to an LLM API whose bytes undici parses. */
export type ParsedConnection = {
  readonly origin: string
  /** The most bytes that undici gets at once. */
  pieceBytes: number
}

/**
 * The time that undici takes to parse answers in a turn of the event loop, with the code that consumes them, by LLM API.
 * Connections whose bytes take long get smaller pieces.
 */
export class ParseTimes {
  /** In milliseconds. */
  readonly #byOrigin = new Map<string, number>()
  /** The size of a new connection's first piece, for LLM APIs whose pieces take long. */
  readonly #pieceBytes = new Map<string, number>()
  /** The connection whose bytes undici parses since `#sinceMs`, and the number of these bytes. */
  #parsed: ParsedConnection | undefined
  #parsedBytes = 0
  #sinceMs = 0
  /** True where the turn's time was over before these bytes. */
  #isBeyond = false
  #beyondMs = 0

  /** The milliseconds that answers took beyond the time of this turn. */
  get beyondMs(): number {
    return this.#beyondMs
  }

  /** The milliseconds that the answers of an LLM API took in this turn. */
  of(origin: string): number {
    return this.#byOrigin.get(origin) ?? 0
  }

  /** Sets the size of a new connection's first piece: as large as the last one of its LLM API may be. */
  open(connection: ParsedConnection): void {
    connection.pieceBytes = this.#pieceBytes.get(connection.origin) ?? PIECE_BYTES.most
  }

  /** To be called once no connection of the LLM API is left. */
  forget(origin: string): void {
    this.#pieceBytes.delete(origin)
  }

  /** Notes the bytes that undici parses next, since the last `end`. */
  begin(connection: ParsedConnection, bytes: number, isBeyond: boolean): void {
    this.#parsed = connection
    this.#parsedBytes = bytes
    this.#isBeyond = isBeyond
  }

  /** Ends the time of the bytes that were parsed last. */
  end(nowMs = performance.now()): void {
    const ms = nowMs - this.#sinceMs
    this.#sinceMs = nowMs
    const parsed = this.#parsed
    if (parsed === undefined) return
    this.#parsed = undefined
    if (this.#isBeyond) this.#beyondMs += ms
    this.add(parsed, this.#parsedBytes, ms)
  }

  /** Ends the time of a connection's bytes of which a part wasn't parsed, because their consumer has paused. */
  stop(connection: ParsedConnection): void {
    if (this.#parsed !== connection) return
    this.#parsedBytes = 0
    this.end()
  }

  /** Adds the time that bytes took. */
  add(connection: ParsedConnection, bytes: number, ms: number): void {
    this.#byOrigin.set(connection.origin, this.of(connection.origin) + ms)
    this.#adaptPieces(connection, bytes, ms)
  }

  endTurn(): void {
    this.#byOrigin.clear()
    this.#beyondMs = 0
    this.#parsed = undefined
  }

  #adaptPieces(connection: ParsedConnection, bytes: number, ms: number): void {
    const { origin, pieceBytes } = connection
    // A few bytes are parsed fast whatever they are, so that they don't tell how long a larger piece would take.
    const isPiece = bytes >= pieceBytes
    if (ms > SLOW_MS) connection.pieceBytes = Math.max(PIECE_BYTES.fewest, pieceBytes / 4)
    else if (isPiece && pieceBytes < PIECE_BYTES.most) connection.pieceBytes = pieceBytes * 2
    else return
    if (connection.pieceBytes < PIECE_BYTES.most) this.#pieceBytes.set(origin, connection.pieceBytes)
    else this.#pieceBytes.delete(origin)
  }
}

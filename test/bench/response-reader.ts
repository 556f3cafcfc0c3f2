export type ReadResponse = {
  readonly status: number
  /** Bytes of the body without chunk framing. */
  readonly bodyBytes: number
  readonly closes: boolean
}

type Events = {
  /** Called at the first byte of a body. */
  readonly firstByte: () => void
  readonly end: (response: ReadResponse) => void
}

/** Reads the HTTP/1.1 responses of a connection from its chunks, framed by Content-Length or chunked. */
export class ResponseReader {
  readonly #events: Events
  #held: Buffer | undefined
  #state: 'head' | 'sized' | 'chunk size' | 'chunk' | 'trailer' = 'head'
  #status = 0
  #closes = false
  #bodyBytes = 0
  #left = 0

  constructor(events: Events) {
    this.#events = events
  }

  take(data: Buffer): void {
    let rest: Buffer | undefined = this.#held === undefined ? data : Buffer.concat([this.#held, data])
    this.#held = undefined
    while (rest !== undefined && rest.length > 0) rest = this.#step(rest)
  }

  /** Returns the bytes for the next step; undefined if more bytes are needed. */
  #step(data: Buffer): Buffer | undefined {
    switch (this.#state) {
      case 'head':
        return this.#head(data)
      case 'sized':
      case 'chunk':
        return this.#body(data)
      case 'chunk size':
        return this.#chunkSize(data)
      case 'trailer':
        return this.#trailer(data)
      default:
        return this.#state satisfies never
    }
  }

  #head(data: Buffer): Buffer | undefined {
    const end = data.indexOf('\r\n\r\n')
    if (end < 0) return this.#hold(data)
    const text = data.toString('latin1', 0, end)
    const rest = data.subarray(end + 4)
    this.#status = Number(text.slice(9, 12))
    if (this.#status === 100) return rest
    this.#closes = /\r\nconnection: *close/i.test(text)
    this.#bodyBytes = 0
    const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1]
    this.#left = Number(length ?? 0)
    if (/\r\ntransfer-encoding: *chunked/i.test(text)) this.#state = 'chunk size'
    else if (this.#left > 0) this.#state = 'sized'
    else this.#finish()
    return rest
  }

  #body(data: Buffer): Buffer | undefined {
    const take = Math.min(this.#left, data.length)
    if (this.#bodyBytes === 0 && take > 0) this.#events.firstByte()
    this.#bodyBytes += take
    this.#left -= take
    if (this.#left > 0) return undefined
    if (this.#state === 'sized') this.#finish()
    else this.#state = 'chunk size'
    return data.subarray(take)
  }

  #chunkSize(data: Buffer): Buffer | undefined {
    // The line end of the previous chunk comes before the next size.
    const start = data[0] === 13 ? 2 : 0
    const end = data.indexOf('\r\n', start)
    if (end < 0) return this.#hold(data)
    this.#left = Number.parseInt(data.toString('latin1', start, end), 16)
    this.#state = this.#left === 0 ? 'trailer' : 'chunk'
    return data.subarray(end + 2)
  }

  #trailer(data: Buffer): Buffer | undefined {
    const end = data.indexOf('\r\n')
    if (end < 0) return this.#hold(data)
    if (end === 0) this.#finish()
    return data.subarray(end + 2)
  }

  #hold(data: Buffer): undefined {
    this.#held = data
  }

  #finish(): void {
    this.#state = 'head'
    this.#events.end({ status: this.#status, bodyBytes: this.#bodyBytes, closes: this.#closes })
  }
}

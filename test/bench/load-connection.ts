import { connect, type Socket } from 'node:net'
import { type ChatBody, writeSerial } from './chat-body.ts'
import { ResponseReader } from './response-reader.ts'

export type CallResult = {
  readonly ok: boolean
  /** Milliseconds since the start time of the call. */
  readonly milliseconds: number
  readonly millisecondsToFirstByte: number
}

export type LoadTarget = {
  readonly port: number
  readonly path: string
  readonly body: ChatBody
  /** Size of a right answer's body; undefined accepts any (a stream). */
  readonly answerBytes: number | undefined
  /** Called with every read of an answer, framing included. */
  readonly took?: (bytes: Buffer) => void
}

/** A keep-alive connection with at most one request under way. Its buffer changes only in the serial. */
export class LoadConnection {
  readonly #target: LoadTarget
  readonly #request: Buffer
  readonly #serialOffset: number
  readonly #ended: (connection: LoadConnection, result: CallResult) => void
  #socket: Socket | undefined
  #reader: ResponseReader
  #startedAt = 0
  #firstByteAt = 0
  #busy = false
  #closed = false

  constructor(target: LoadTarget, ended: (connection: LoadConnection, result: CallResult) => void) {
    const head = Buffer.from(requestHead(target))
    this.#target = target
    this.#request = Buffer.concat([head, target.body.bytes])
    this.#serialOffset = head.length + target.body.serialOffset
    this.#ended = ended
    this.#reader = this.#newReader()
  }

  /** Starts a call. `startedAt` (performance.now) may be in the past if the call was due earlier. */
  send(serial: number, startedAt: number): void {
    this.#busy = true
    this.#startedAt = startedAt
    this.#firstByteAt = 0
    writeSerial(this.#request, this.#serialOffset, serial)
    this.#open().write(this.#request)
  }

  close(): void {
    this.#closed = true
    this.#socket?.destroy()
  }

  #open(): Socket {
    if (this.#socket !== undefined && !this.#socket.destroyed) return this.#socket
    const socket = connect({ port: this.#target.port, host: '127.0.0.1', noDelay: true })
    this.#reader = this.#newReader()
    const { took } = this.#target
    socket.on('data', (data) => {
      took?.(data)
      this.#reader.take(data)
    })
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      if (this.#socket === socket && !this.#closed && this.#busy) this.#end(false)
    })
    this.#socket = socket
    return socket
  }

  #newReader(): ResponseReader {
    return new ResponseReader({
      firstByte: () => {
        this.#firstByteAt = performance.now()
      },
      end: ({ status, bodyBytes, closes }) => {
        const expected = this.#target.answerBytes ?? bodyBytes
        if (closes) this.#socket?.destroy()
        this.#end(status === 200 && bodyBytes === expected)
      },
    })
  }

  #end(ok: boolean): void {
    this.#busy = false
    const milliseconds = performance.now() - this.#startedAt
    this.#ended(this, { ok, milliseconds, millisecondsToFirstByte: this.#firstByteAt - this.#startedAt })
  }
}

function requestHead({ port, path, body }: LoadTarget): string {
  const headers = [
    `POST ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    'User-Agent: llm-gateway-bench',
    'Accept: application/json',
    'Authorization: Bearer bench',
    'Content-Type: application/json',
    `Content-Length: ${body.bytes.length}`,
  ]
  return `${headers.join('\r\n')}\r\n\r\n`
}

import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'

export type BusQuestion = {
  /** host:port */
  readonly address: string
  readonly token: string
  readonly subject: string
  /** Default: empty. */
  readonly payload?: string
  readonly timeoutMs: number
}

/** The reply to one question. `code`: ECONNREFUSED, TIMEOUT, CLOSED, TOO_LARGE. */
export type BusReply =
  | { readonly kind: 'replied'; readonly text: string }
  /** No responder has the subject: the bus has no JetStream. */
  | { readonly kind: 'nobody' }
  /** The bus refuses the connection or the subject: `Authorization Violation`, `Permissions Violation …`. */
  | { readonly kind: 'refused'; readonly text: string }
  | { readonly kind: 'failed'; readonly code: string }

/** A NATS server sends less than this. More bytes come from another kind of server. */
const MAX_BYTES = 256 * 1024
const LINE_END = '\r\n'
/** The first bytes of `-ERR`, `MSG` and `HMSG`. Other lines aren't decoded: a foreign server may send 130,000 empty lines. */
const FIRST_BYTES: ReadonlySet<number | undefined> = new Set(Buffer.from('-MH'))
const NOBODY = /^NATS\/1\.0 503/

/**
 * Asks a bus one question on a connection of its own, by the text protocol of NATS. Never rejects. The `nats` package
 * would cost the operator as much memory as a thousand Routers.
 */
export function askBus({ address, token, subject, payload = '', timeoutMs }: BusQuestion): Promise<BusReply> {
  const url = URL.parse(`nats://${address}`)
  const inbox = `_INBOX.${randomBytes(12).toString('hex')}`
  const { promise, resolve } = Promise.withResolvers<BusReply>()
  const socket = connect({ host: url?.hostname ?? address, port: Number(url?.port) || 4222 })
  const timer = setTimeout(() => resolve({ kind: 'failed', code: 'TIMEOUT' }), timeoutMs)
  const incoming = new Incoming(inbox)
  let asked = false
  socket.on('error', (error: NodeJS.ErrnoException) => resolve({ kind: 'failed', code: error.code ?? 'SOCKET' }))
  socket.on('close', () => resolve({ kind: 'failed', code: 'CLOSED' }))
  socket.on('data', (chunk: Buffer) => {
    const reply = incoming.add(chunk)
    if (!asked && incoming.hasLine) {
      asked = true
      const options = {
        auth_token: token,
        verbose: false,
        pedantic: false,
        headers: true,
        no_responders: true,
        protocol: 1,
      }
      const lines = [
        `CONNECT ${JSON.stringify(options)}`,
        `SUB ${inbox} 1`,
        `PUB ${subject} ${inbox} ${Buffer.byteLength(payload)}`,
        payload,
        '',
      ]
      socket.write(lines.join(LINE_END))
    }
    if (reply !== undefined) resolve(reply)
  })
  return promise.finally(() => {
    clearTimeout(timer)
    socket.destroy()
  })
}

type ReplyHead = { readonly isHeaded: boolean; readonly headerBytes: number; readonly total: number }

/**
 * The bytes of one connection. Only new bytes are searched for the end of a line: a foreign server may send its bytes
 * one by one.
 */
class Incoming {
  readonly #message: RegExp
  /** Only the bytes before `#length` were written. */
  readonly #bytes = Buffer.allocUnsafe(MAX_BYTES)
  #length = 0
  /** The beginning of the line that isn't complete yet. */
  #line = 0
  /** The message of the reply, once its head is there. */
  #reply: ReplyHead | undefined

  constructor(inbox: string) {
    // `MSG <subject> 1 <bytes>`, `HMSG <subject> 1 <bytes of headers> <bytes>`
    this.#message = new RegExp(`^(H?)MSG ${inbox} 1 (?:(\\d+) )?(\\d+)$`)
  }

  get hasLine(): boolean {
    return this.#line > 0
  }

  /** Returns undefined until the reply is complete. */
  add(chunk: Buffer): BusReply | undefined {
    const from = this.#length
    if (from + chunk.length > MAX_BYTES) return { kind: 'failed', code: 'TOO_LARGE' }
    this.#length += chunk.copy(this.#bytes, from)
    // A line may end with a chunk that begins with the second byte of its end.
    let searched = Math.max(this.#line, from - 1)
    const bytes = this.#bytes.subarray(0, this.#length)
    while (this.#reply === undefined) {
      const end = bytes.indexOf(LINE_END, searched)
      if (end === -1) return undefined
      const begin = this.#line
      this.#line = end + LINE_END.length
      searched = this.#line
      if (!FIRST_BYTES.has(bytes[begin])) continue
      const line = bytes.toString('utf8', begin, end)
      const refused = /^-ERR '(.*)'/.exec(line)
      if (refused !== null) return { kind: 'refused', text: refused[1] ?? '' }
      const head = this.#message.exec(line)
      if (head === null) continue
      const [, headers = '', headerBytes = '0', total = '0'] = head
      this.#reply = { isHeaded: headers !== '', headerBytes: Number(headerBytes), total: Number(total) }
    }
    return this.#whole(this.#reply)
  }

  #whole({ isHeaded, headerBytes, total }: ReplyHead): BusReply | undefined {
    if (this.#length - this.#line < total) return undefined
    const message = this.#bytes.subarray(this.#line, this.#line + total)
    if (isHeaded && NOBODY.test(message.toString())) return { kind: 'nobody' }
    return { kind: 'replied', text: message.subarray(headerBytes).toString() }
  }
}

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
  const chunks: Buffer[] = []
  let bytes = 0
  let asked = false
  socket.on('error', (error: NodeJS.ErrnoException) => resolve({ kind: 'failed', code: error.code ?? 'SOCKET' }))
  socket.on('close', () => resolve({ kind: 'failed', code: 'CLOSED' }))
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > MAX_BYTES) return resolve({ kind: 'failed', code: 'TOO_LARGE' })
    chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    if (!asked && text.includes(LINE_END)) {
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
    const reply = replyIn(text, inbox)
    if (reply !== undefined) resolve(reply)
  })
  return promise.finally(() => {
    clearTimeout(timer)
    socket.destroy()
  })
}

/** Returns undefined until the reply is complete. */
function replyIn(text: string, inbox: string): BusReply | undefined {
  const refused = /^-ERR '(.*)'/m.exec(text)
  if (refused !== null) return { kind: 'refused', text: refused[1] ?? '' }
  // `MSG <subject> 1 <bytes>`, `HMSG <subject> 1 <bytes of headers> <bytes>`
  const head = new RegExp(`^(H?)MSG ${inbox} 1 (?:(\\d+) )?(\\d+)\r\n`, 'm').exec(text)
  if (head === null) return undefined
  const [line, headers = '', headerBytes = '0', total = '0'] = head
  const body = Buffer.from(text.slice(head.index + line.length))
  if (body.length < Number(total)) return undefined
  const message = body.subarray(0, Number(total))
  if (headers !== '' && NOBODY.test(message.toString())) return { kind: 'nobody' }
  return { kind: 'replied', text: message.subarray(Number(headerBytes)).toString() }
}

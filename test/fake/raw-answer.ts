import { type RawResult, rawExchange } from './raw-http.ts'

/** An answer as it was on the wire. */
export type RawAnswer = {
  readonly status: number
  readonly headers: Headers
  /** latin1; chunks are not decoded. */
  readonly body: string
  readonly ended: RawResult['ended']
}

export type RawRequest = {
  readonly method?: string
  /** `name: value`, without Host and Connection. */
  readonly headers?: readonly string[]
  /** Sent with its Content-Length. */
  readonly body?: Uint8Array | string
}

/** Returns the first answer that isn't a 1xx. Throws if there is none. */
export function readAnswer({ text, ended }: RawResult): RawAnswer {
  const interim = /^HTTP\/1\.1 1\d\d .*?\r\n\r\n/s.exec(text)
  if (interim !== null) return readAnswer({ text: text.slice(interim[0].length), ended, bytes: Buffer.alloc(0) })
  const match = /^HTTP\/1\.1 (\d{3}) [^\r\n]*\r\n(.*?)\r\n\r\n(.*)$/s.exec(text)
  if (match === null) throw new Error(`no answer (${ended}) in ${text.slice(0, 500)}`)
  const [, status = '', head = '', body = ''] = match
  const headers = new Headers()
  for (const line of head.split('\r\n')) {
    const at = line.indexOf(':')
    headers.append(line.slice(0, at), line.slice(at + 1).trim())
  }
  return { status: Number(status), headers, body, ended }
}

/** Sends a request with an unchanged target and unchanged headers, on a connection that closes afterwards. */
export async function askRaw(port: number, target: string, request: RawRequest = {}): Promise<RawAnswer> {
  const { method = 'GET', headers = [], body } = request
  const sized = body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]
  const lines = [`${method} ${target} HTTP/1.1`, 'Host: gateway', 'Connection: close', ...headers, ...sized]
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
  return readAnswer(await rawExchange(port, Buffer.concat([head, Buffer.from(body ?? '')])))
}

/** Hostile payloads, each of the given number of bytes or a few less. */
export const KIB = 1_024
export const MIB = 1_024 * KIB

/** Repeats a text to a number of bytes, or a few less. */
export function repeatText(bytes: number, text: string): Buffer {
  const whole = Math.floor(bytes / Buffer.byteLength(text)) * Buffer.byteLength(text)
  return Buffer.alloc(whole, text)
}

export function nestedArrays(bytes: number): Buffer {
  return Buffer.concat([Buffer.alloc(bytes / 2, '['), Buffer.alloc(bytes / 2, ']')])
}

export function nestedObjects(bytes: number): Buffer {
  const depth = Math.floor(bytes / 6)
  return Buffer.concat([repeatText(depth * 5, '{"a":'), Buffer.from('0'), Buffer.alloc(depth, '}')])
}

/** Returns `[{},{},…]`. */
export function shallowObjects(bytes: number): Buffer {
  return Buffer.concat([Buffer.from('['), repeatText(bytes, '{},'), Buffer.from('{}]')])
}

/** Returns `[0,0,…]`. */
export function numberArray(bytes: number): Buffer {
  return Buffer.concat([Buffer.from('['), repeatText(bytes, '0,'), Buffer.from('0]')])
}

/** Returns an object with `count` different names. */
export function objectWithNames(count: number): Buffer {
  const parts = Array.from({ length: count }, (_, index) => `"k${index}":0`)
  return Buffer.from(`{${parts.join(',')}}`)
}

/** Returns an object with one name, repeated. */
export function objectWithOneName(bytes: number, member: string): Buffer {
  return Buffer.concat([Buffer.from('{'), repeatText(bytes, `${member},`), Buffer.from(`${member}}`)])
}

/** Returns a JSON string that repeats a text, which must be escaped already. */
export function longString(bytes: number, text: string): Buffer {
  return Buffer.concat([Buffer.from('"'), repeatText(bytes, text), Buffer.from('"')])
}

/** Returns a chat request that begins with its name, with `bytes` bytes of text. */
export function namedChat(tag: string, serial: number, bytes: number): Buffer {
  const user = `${tag}-${String(serial).padStart(9, '0')}`
  const empty = JSON.stringify({ user, messages: [{ role: 'user', content: '' }] })
  const [before = '', after = ''] = empty.split('"content":""')
  return Buffer.concat([
    Buffer.from(`${before}"content":"`),
    repeatText(bytes, 'lorem ipsum '),
    Buffer.from(`"${after}`),
  ])
}

export type Head = {
  readonly status?: string
  readonly type?: string
  /** Unset means chunked. */
  readonly length?: number
  readonly coding?: string
  readonly headers?: readonly string[]
}

/** Returns the head of an LLM API's answer. */
export function answerHead({
  status = '200 OK',
  type = 'application/json',
  length,
  coding,
  headers = [],
}: Head): string {
  const lines = [
    `HTTP/1.1 ${status}`,
    `Content-Type: ${type}`,
    length === undefined ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`,
    ...(coding === undefined ? [] : [`Content-Encoding: ${coding}`]),
    ...headers,
  ]
  return `${lines.join('\r\n')}\r\n\r\n`
}

export function wholeAnswer(body: Uint8Array, head: Omit<Head, 'length'> = {}): Buffer {
  return Buffer.concat([Buffer.from(answerHead({ ...head, length: body.length }), 'latin1'), body])
}

/** Frames each piece as an HTTP chunk, without the last chunk. */
export function chunked(pieces: Iterable<Uint8Array>): Buffer {
  const parts: Uint8Array[] = []
  for (const piece of pieces) parts.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'))
  return Buffer.concat(parts)
}

/** Returns chunks of one byte, each with an extension of 16 KB, which takes a parser long. */
export function extendedChunks(count: number): Buffer {
  return Buffer.from(`1${';a=b'.repeat(4_000)}\r\n1\r\n`.repeat(count))
}

/** Yields pieces of one byte. */
export function* singleBytes(body: Buffer): Iterable<Buffer> {
  for (let at = 0; at < body.length; at += 1) yield body.subarray(at, at + 1)
}

export const LAST_CHUNK = '0\r\n\r\n'
export const SMALL_ANSWER = wholeAnswer(Buffer.from('{"choices":[],"usage":{"total_tokens":9}}'))

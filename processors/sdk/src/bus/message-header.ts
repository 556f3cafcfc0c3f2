/** A header that begins after this many bytes or lines counts as absent. The gateway's headers take 200 bytes. */
const MOST_BYTES = 8_192
const MOST_LINES = 64
const LINE_END = '\r\n'
const STATUS = /^NATS\/1\.0 +(\d{3})(.*)/
/** The bytes that the `nats` package allows in a name. */
const NAME = /^[!-9;-~]+$/

/**
 * Returns the trimmed value of the first header of that name, in upper or lower case; undefined when the first 8 KiB
 * and 64 lines lack the header, or when its value contains CR or LF. Never throws, also for invalid names. `message` is
 * a message of the `nats` package, whose own `message.headers` throws on invalid names and takes quadratic time for
 * many names.
 */
export function messageHeader(message: object, name: string): string | undefined {
  const bytes = headerBytes(message)
  return bytes === undefined ? undefined : findHeader(bytes, name)
}

/** Finds a header in the bytes of all headers, which begin with the line `NATS/1.0`. */
export function findHeader(bytes: Uint8Array, name: string): string | undefined {
  const text = boundedText(bytes)
  const wanted = name.toLowerCase()
  let start = text.indexOf(LINE_END)
  for (let line = 1; start >= 0 && line < MOST_LINES; line++) {
    start += LINE_END.length
    const end = text.indexOf(LINE_END, start)
    // The bound may have cut the last line.
    if (end < 0) return undefined
    const colon = start + name.length
    if (colon < end && text[colon] === ':' && text.slice(start, colon).toLowerCase() === wanted) {
      const value = oneLine(text.slice(colon + 1, end).trim())
      // A slice would keep the whole text in memory.
      return value === undefined ? undefined : Buffer.from(value).toString()
    }
    start = end
  }
  return undefined
}

type Headers = { append(name: string, value: string): void }
type HeadersClass = {
  new (code?: number, description?: string): Headers
  decode(bytes: Uint8Array): Headers
}

/**
 * Gives the `nats` package's class of headers a decoding with the same bounds as `messageHeader`. The package decodes
 * headers in callbacks of its own: of each reply to a request, of each message about a consumer, of stored messages.
 * An invalid name there would end the package's reading of the connection. A second call changes nothing.
 */
export function boundDecoding(headersClass: HeadersClass): void {
  headersClass.decode = (bytes) => {
    const text = boundedText(bytes)
    // The bound may have cut the last line.
    const whole = text.slice(0, Math.max(0, text.lastIndexOf(LINE_END)))
    const [first = '', ...lines] = whole.split(LINE_END, MOST_LINES)
    const [, code, description = ''] = STATUS.exec(first) ?? []
    const headers = new headersClass(Number(code ?? 0), description.trim())
    for (const line of lines) {
      const colon = line.indexOf(':')
      const name = line.slice(0, Math.max(0, colon))
      const value = oneLine(line.slice(colon + 1).trim())
      if (value !== undefined && NAME.test(name)) headers.append(name, value)
    }
    return headers
  }
}

function boundedText({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, Math.min(length, MOST_BYTES)).toString()
}

function oneLine(value: string): string | undefined {
  return value.includes('\r') || value.includes('\n') ? undefined : value
}

/**
 * Returns the bytes of a message's headers. The package has no method for them: its messages keep headers and payload
 * in `_rdata`, and the length of the headers (-1 without headers) in `_msg.hdr`. A test fails when that changes.
 */
function headerBytes(message: object): Uint8Array | undefined {
  if (!('_msg' in message && '_rdata' in message)) return undefined
  const { _msg: head, _rdata: bytes } = message
  if (typeof head !== 'object' || head === null || !('hdr' in head)) return undefined
  if (typeof head.hdr !== 'number' || head.hdr <= 0 || !(bytes instanceof Uint8Array)) return undefined
  return bytes.subarray(0, Math.min(head.hdr, MOST_BYTES))
}

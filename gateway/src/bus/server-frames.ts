/** The longest line read: an INFO names every server of a cluster, and no bus sends longer lines. */
const LONGEST_LINE_BYTES = 256 * 1024
/**
 * The largest message read. A publisher receives acknowledgements, descriptions of one stream and notes of sinks. Other
 * clients may write to the bucket of these notes, so that a larger message is skipped: losing the connection would keep
 * records from the bus.
 */
const LARGEST_MESSAGE_BYTES = 256 * 1024

/** A frame from the bus: a line without its end, or a message. */
export type ServerFrame = string | ServerMessage

export type ServerMessage = {
  readonly subject: string
  /** The status of the headers: 503 where the published subject has no subscriber, 0 without headers. */
  readonly status: number
  /** The payload, one UTF-16 unit for each byte. */
  readonly text: string
}

/** Splits the bus's bytes into frames; holds at most one unfinished frame. */
export class ServerFrames {
  #rest = ''
  /** The remaining bytes of a skipped message. */
  #skipped = 0

  /** Returns the complete frames; undefined where a line is too long or a message is malformed. */
  take(bytes: Buffer): readonly ServerFrame[] | undefined {
    const skipped = Math.min(this.#skipped, bytes.length)
    this.#skipped -= skipped
    const text = this.#rest + bytes.toString('latin1', skipped)
    const frames: ServerFrame[] = []
    let at = 0
    let longest = LONGEST_LINE_BYTES
    for (;;) {
      const lineEnd = text.indexOf('\r\n', at)
      if (lineEnd < 0) break
      const line = text.slice(at, lineEnd)
      if (!/^H?MSG /.test(line)) {
        frames.push(line)
        at = lineEnd + 2
        continue
      }
      const head = messageHead(line)
      if (head === undefined) return undefined
      const start = lineEnd + 2
      const end = start + head.bytes
      if (head.bytes > LARGEST_MESSAGE_BYTES) {
        this.#skipped = Math.max(0, end + 2 - text.length)
        at = Math.min(end + 2, text.length)
        continue
      }
      if (text.length < end + 2) {
        longest = end + 2 - at
        break
      }
      const headers = text.slice(start, start + head.headerBytes)
      frames.push({ subject: head.subject, status: statusOf(headers), text: text.slice(start + head.headerBytes, end) })
      at = end + 2
    }
    this.#rest = text.slice(at)
    return this.#rest.length > longest ? undefined : frames
  }
}

type Head = { readonly subject: string; readonly headerBytes: number; readonly bytes: number }

/**
 * Reads `MSG <subject> <sid> [reply] <bytes>` or `HMSG <subject> <sid> [reply] <header bytes> <bytes>`; a server may
 * write two spaces.
 */
function messageHead(line: string): Head | undefined {
  const words = line.split(' ').filter((word) => word !== '')
  const hasHeaders = words[0] === 'HMSG'
  const bytes = Number(words.at(-1))
  const headerBytes = hasHeaders ? Number(words.at(-2)) : 0
  const [, subject] = words
  const isMessage = words.length >= (hasHeaders ? 5 : 4) && subject !== undefined
  if (!isMessage || !Number.isInteger(bytes) || !Number.isInteger(headerBytes)) return undefined
  if (headerBytes < 0 || headerBytes > bytes) return undefined
  return { subject, headerBytes, bytes }
}

function statusOf(headers: string): number {
  return Number(/^NATS\/1\.0 (\d{3})/.exec(headers)?.[1] ?? 0)
}

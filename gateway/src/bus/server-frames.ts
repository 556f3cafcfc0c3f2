/** An INFO names every server of a cluster; a longer line is no bus's. */
const LONGEST_LINE_BYTES = 256 * 1024
/**
 * Answers to a publisher are acknowledgements, accounts of one stream and notes of sinks. Others may write to the bucket of these
 * notes: a larger message is skipped, since the loss of the connection would keep records from the bus.
 */
const LARGEST_MESSAGE_BYTES = 256 * 1024

/** What a bus says, one at a time: a line without its end, or a message for us. */
export type ServerFrame = string | ServerMessage

export type ServerMessage = {
  readonly subject: string
  /** Of its headers: 503 where nobody takes messages of the subject that was published on; 0 without headers. */
  readonly status: number
  /** One UTF-16 unit for each byte. */
  readonly text: string
}

/** Cuts what a bus says into its frames; holds at most one that is unfinished. */
export class ServerFrames {
  #rest = ''
  /** Bytes of a message that is too large and still comes. */
  #skipped = 0

  /** undefined where a line is too long, or a message is none. */
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

/** `MSG <subject> <sid> [reply] <bytes>` or `HMSG <subject> <sid> [reply] <header bytes> <bytes>`; a server may write two spaces. */
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

import { MESSAGE_ID_HEADER } from '@llm-gateway/protocol'

/** The part before a record on the wire: `HPUB subject headers size`, and the headers with the message id. */
export type MessageHead = {
  readonly messageId: string
  /** The last part of the reply subject, which identifies the bus's answer. */
  readonly token: string
  /** The head's text with zeros in place of the size, which is unknown yet. */
  readonly text: string
  readonly bytes: number
  /** The bytes of the headers alone; the size and the bus's max_payload count headers and payload together. */
  readonly headerBytes: number
  /** The bytes before the end of the size. */
  readonly sizeEnd: number
}

/** A placeholder with as many digits as nats-server reads. */
const SIZE_PLACEHOLDER = '0'.repeat(9)
const ZERO = '0'.charCodeAt(0)

/** The subject of answers and the stream that must give them. */
export type ExpectedAnswer = {
  /** The beginning of the subjects of answers. */
  readonly inbox: string
  /** The only stream that may take the messages. */
  readonly stream: string
}

/**
 * Creates the function that makes the heads of one subject's messages from an id and a token, both ASCII; the subject
 * may have other characters.
 */
export function createMessageHeads(
  subject: string,
  answers?: ExpectedAnswer,
): (messageId: string, token?: string) => MessageHead {
  const start = `HPUB ${subject} ${answers?.inbox ?? ''}`
  const beyondAscii = Buffer.byteLength(start) - start.length
  const expected = answers === undefined ? '' : `Nats-Expected-Stream: ${answers.stream}\r\n`
  return (messageId, token = '') => {
    const headers = `NATS/1.0\r\n${MESSAGE_ID_HEADER}: ${messageId}\r\n${expected}\r\n`
    const reply = answers === undefined ? '' : `${token} `
    const line = `${start}${reply}${headers.length} ${SIZE_PLACEHOLDER}`
    const text = `${line}\r\n${headers}`
    return {
      messageId,
      token,
      text,
      bytes: text.length + beyondAscii,
      headerBytes: headers.length,
      sizeEnd: line.length + beyondAscii,
    }
  }
}

/** Writes the size into a message that begins at `start`. */
export function writeSize(target: Uint8Array, start: number, { sizeEnd }: MessageHead, size: number): void {
  let rest = size
  // All digits are written, since a cut record still contains its larger former size.
  for (let at = start + sizeEnd - 1; at >= start + sizeEnd - SIZE_PLACEHOLDER.length; at -= 1) {
    target[at] = ZERO + (rest % 10)
    rest = Math.floor(rest / 10)
  }
}

import { MESSAGE_ID_HEADER } from '@llm-gateway/protocol'

/** What stands before a record on the wire: `HPUB subject headers size`, and the headers with its message id. */
export type MessageHead = {
  readonly messageId: string
  /** What the bus's answer to it is known by. */
  readonly token: string
  /** Zeros stand for the size: it is written before that is known. */
  readonly text: string
  readonly bytes: number
  /** Of them the headers: the bus's max_payload, and the size, count them and the payload together. */
  readonly headerBytes: number
  /** Bytes before the end of the size. */
  readonly sizeEnd: number
}

/** As many digits as nats-server reads. */
const SIZE = '0'.repeat(9)
const ZERO = '0'.charCodeAt(0)

/** How answers to messages are asked for. */
export type AnswerPlace = {
  /** What the subjects of answers begin with. */
  readonly inbox: string
  /** The stream that is to take the messages, and no other. */
  readonly stream: string
}

/** Makes the heads of one subject's messages, of an id and a token each. Those two are ASCII; a subject need not be. */
export function messageHeads(
  subject: string,
  answers?: AnswerPlace,
): (messageId: string, token?: string) => MessageHead {
  const start = `HPUB ${subject} ${answers?.inbox ?? ''}`
  const beyondAscii = Buffer.byteLength(start) - start.length
  const expected = answers === undefined ? '' : `Nats-Expected-Stream: ${answers.stream}\r\n`
  return (messageId, token = '') => {
    const headers = `NATS/1.0\r\n${MESSAGE_ID_HEADER}: ${messageId}\r\n${expected}\r\n`
    const reply = answers === undefined ? '' : `${token} `
    const line = `${start}${reply}${headers.length} ${SIZE}`
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

/** Fills the size into a message that begins at `start`. */
export function writeSize(target: Uint8Array, start: number, { sizeEnd }: MessageHead, size: number): void {
  let rest = size
  // Every digit: a record that is cut has a larger size there.
  for (let at = start + sizeEnd - 1; at >= start + sizeEnd - SIZE.length; at -= 1) {
    target[at] = ZERO + (rest % 10)
    rest = Math.floor(rest / 10)
  }
}

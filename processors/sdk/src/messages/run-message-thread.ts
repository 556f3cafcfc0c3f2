import { runThread, type Work } from '@llm-gateway/conf/thread'
import { decodeMessage, isBounded, type JsonBounds } from '@llm-gateway/protocol'

/** Reads the fields of one message. Returns the answer, or the value that `conclude` makes the answer from. */
export type MessageReader = (fields: ReadonlyMap<string, unknown>, work: Work) => unknown

/** A question to the thread that reads large messages. */
export type MessageQuestion = {
  readonly bytes: Uint8Array
  /** True: the thread returns JSON text, as transferred bytes that go to the bus unchanged. */
  readonly encode: boolean
}

/** The reason why a message can't be read: not a JSON object, or more values than a thread can hold. */
class MessageError extends Error {
  readonly code: 'NOT_AN_OBJECT' | 'MESSAGE_TOO_COMPLEX'

  constructor(code: MessageError['code']) {
    super('message not read')
    this.name = 'MessageError'
    this.code = code
  }
}

/**
 * The bounds of a message that may be parsed. A parsed value takes up to sixty times its bytes, and a JSON parser that
 * runs out of a thread's memory ends the whole process. Two million empty objects take some 250 MB for a moment. No call
 * that a person makes has more values, and an answer with 1,000 embeddings of 1,536 numbers each has fewer.
 */
const MESSAGE_BOUNDS: JsonBounds = { values: 2_000_000, depth: 10_000 }

/** Runs the program of the thread that reads a processor's large messages (`RunningProcessor.large`). */
export async function runMessageThread(
  create: (data: unknown) => MessageReader | Promise<MessageReader>,
): Promise<void> {
  await runThread(async (data) => {
    const read = await create(data)
    return async (question, work) => {
      const { bytes, encode } = messageQuestion(question)
      if (!isBounded(bytes, MESSAGE_BOUNDS)) throw new MessageError('MESSAGE_TOO_COMPLEX')
      const fields = decodeMessage(bytes)
      if (fields === undefined) throw new MessageError('NOT_AN_OBJECT')
      const value = await read(fields, work)
      if (!encode) return value
      const text = new TextEncoder().encode(JSON.stringify(value ?? {}))
      work.transfer(text)
      return text
    }
  })
}

function messageQuestion(question: unknown): MessageQuestion {
  if (typeof question === 'object' && question !== null && 'bytes' in question && 'encode' in question) {
    const { bytes, encode } = question
    if (bytes instanceof Uint8Array && typeof encode === 'boolean') return { bytes, encode }
  }
  throw new TypeError('the thread got a message that is no question')
}

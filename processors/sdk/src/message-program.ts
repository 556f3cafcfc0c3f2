import { decodeMessage } from '@llm-gateway/protocol'
import { isBounded } from './message-bounds.ts'
import { runThread, type Work } from './thread-program.ts'

/** Reads the fields of one message; what it gives is the answer, or what `conclude` makes the answer of. */
export type MessageReader = (fields: ReadonlyMap<string, unknown>, work: Work) => unknown

/** What the program asks of the thread of its large messages. */
export type MessageQuestion = {
  readonly bytes: Uint8Array
  /** The JSON text is wanted, as bytes that are handed over: for the bus as it is. */
  readonly encode: boolean
}

/** Why a message can't be read: not a JSON object, or more than a thread can hold. */
class MessageError extends Error {
  readonly code: 'NOT_AN_OBJECT' | 'MESSAGE_TOO_COMPLEX'

  constructor(code: MessageError['code']) {
    super('message not read')
    this.name = 'MessageError'
    this.code = code
  }
}

/** The program of the thread that a processor's large messages are read in (`RunningProcessor.large`). */
export async function runMessageThread(
  create: (data: unknown) => MessageReader | Promise<MessageReader>,
): Promise<void> {
  await runThread(async (data) => {
    const read = await create(data)
    return async (question, work) => {
      const { bytes, encode } = messageQuestion(question)
      if (!isBounded(bytes)) throw new MessageError('MESSAGE_TOO_COMPLEX')
      const fields = decodeMessage(bytes)
      if (fields === undefined) throw new MessageError('NOT_AN_OBJECT')
      const value = await read(fields, work)
      return encode ? new TextEncoder().encode(JSON.stringify(value ?? {})) : value
    }
  })
}

function messageQuestion(question: unknown): MessageQuestion {
  if (typeof question === 'object' && question !== null && 'bytes' in question && 'encode' in question) {
    const { bytes, encode } = question
    if (bytes instanceof Uint8Array && typeof encode === 'boolean') return { bytes, encode }
  }
  throw new TypeError('not a question')
}

import type { Lane } from './lanes.ts'
import type { Logger } from './logger.ts'
import type { MessageQuestion } from './message-program.ts'
import type { Answer, Call } from './reply.ts'
import { createThread, type Thread } from './thread.ts'

/** How messages of more than 16 KiB are read: parsing them would hold up all others. */
export type LargeMessages = {
  /** A module that calls `runMessageThread`. */
  readonly program: URL
  /** What its `create` gets; copied. */
  readonly data?: unknown
  /** Makes the answer of what the thread gave, which is to be small; absent: the thread gave the answer. */
  readonly conclude?: (value: unknown, call?: Call) => Answer | Promise<Answer>
}

export type MessageThreads = {
  /** What the thread gives: the answer's JSON text where nothing concludes it. Rejects with a ThreadError. */
  read(lane: Lane, bytes: Uint8Array, timeoutMs: number): Promise<unknown>
  readonly ready: boolean
  close(): Promise<void>
}

/** Also for messages without a deadline. */
const MOST_READING_MS = 60_000
/** Large messages come in bursts, and a thread takes some tens of megabytes. */
const IDLE_MS = 60_000

/** One thread for long messages and one for huge ones, each started by its first message. */
export function createMessageThreads(large: LargeMessages, logger: Logger): MessageThreads {
  const { program, data } = large
  const threadOf = (lane: Lane): Thread =>
    createThread({ program, data, name: `${lane} messages`, logger, idleMs: IDLE_MS })
  const [long, huge] = [threadOf('long'), threadOf('huge')]
  return {
    read: async (lane, message, timeoutMs) => {
      // A copy, since the message lies in the buffer of a socket; `slice` of a Buffer would hand over that one.
      const bytes = new Uint8Array(message)
      const question: MessageQuestion = { bytes, encode: large.conclude === undefined }
      return await (lane === 'huge' ? huge : long).ask(question, {
        weight: bytes.length,
        timeoutMs: Math.min(timeoutMs, MOST_READING_MS),
        transfer: [bytes.buffer],
      })
    },
    get ready() {
      return long.ready && huge.ready
    },
    close: async () => {
      await Promise.all([long.close(), huge.close()])
    },
  }
}

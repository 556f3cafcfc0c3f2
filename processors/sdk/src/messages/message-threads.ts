import { createThread, type Thread } from '@llm-gateway/conf/thread'
import type { Logger } from '../logger.ts'
import { type Lane, THREADS } from './lanes.ts'
import type { AnyAnswer, Call } from './reply.ts'
import type { MessageQuestion } from './run-message-thread.ts'

/** The settings for reading messages of more than 16 KiB in threads; parsing them here would delay all others. */
export type LargeMessages = {
  /** A module that calls `runMessageThread`. */
  readonly program: URL
  /** The argument of the module's `create`, copied into the thread. */
  readonly data?: unknown
  /**
   * Makes the answer from the thread's value, which must be small. When it is absent, the thread's value is the answer.
   */
  readonly conclude?: (value: unknown, call?: Call) => AnyAnswer | Promise<AnyAnswer>
}

export type MessageThreads = {
  /**
   * Returns the thread's value: JSON text without `conclude`. Rejects with a ThreadError, once no thread works on the
   * message any more.
   */
  read(lane: Lane, bytes: Uint8Array, timeoutMs: number): Promise<unknown>
  readonly ready: boolean
  close(): Promise<void>
}

/** The limit for reading a message, also without a deadline. */
const MOST_READING_MS = 60_000
/** Large messages come in bursts, and a thread takes some tens of megabytes, so an idle thread ends. */
const IDLE_MS = 60_000

/**
 * Makes the threads for long and for huge messages. A message starts a thread if all threads for its size are busy or
 * don't run, so the second thread for a size costs memory only while two routers send messages of it.
 */
export function createMessageThreads(large: LargeMessages, logger: Logger): MessageThreads {
  const { program, data } = large
  const threadsOf = (lane: keyof typeof THREADS): readonly Thread[] =>
    Array.from({ length: THREADS[lane] }, () =>
      createThread({ program, data, name: `${lane} messages`, logger, idleMs: IDLE_MS }),
    )
  const [long, huge] = [threadsOf('long'), threadsOf('huge')]
  const all = [...long, ...huge]
  return {
    // Nothing is awaited here: a function that waits keeps its arguments, and the message's bytes must be free.
    read: async (lane, message, timeoutMs) => {
      // A copy, since the message lies in a socket's buffer; `slice` of a Buffer shares that buffer, which would be
      // transferred.
      const bytes = new Uint8Array(message)
      const question: MessageQuestion = { bytes, encode: large.conclude === undefined }
      return idlest(lane === 'huge' ? huge : long).ask(question, {
        weight: bytes.length,
        timeoutMs: Math.min(timeoutMs, MOST_READING_MS),
        // The message keeps its place while the thread works on it. Otherwise the next message of its router would take
        // the other thread, which is there for other routers.
        untilEnded: true,
        transfer: [bytes.buffer],
      })
    },
    get ready() {
      return all.every(({ ready }) => ready)
    },
    close: async () => {
      await Promise.all(all.map((thread) => thread.close()))
    },
  }
}

/** Returns the thread with the fewest questions; the first of equals, so that the others end when they are idle. */
function idlest(threads: readonly Thread[]): Thread {
  return threads.reduce((least, thread) => (thread.questions < least.questions ? thread : least))
}

import { parentPort, workerData } from 'node:worker_threads'
import { failureOf, SettingsError, type ThreadFailure } from '../program/failure.ts'

/** The `workerData` of a thread. */
export type ThreadStart<Data> = {
  /** A 32-bit number for each slot: the id of the question whose caller gave up. */
  readonly stopped: SharedArrayBuffer
  readonly data: Data
}

export type ThreadQuestion<Question> = {
  readonly id: number
  /** The question's place in `stopped` while the thread works on the question. */
  readonly slot: number
  readonly question: Question
}

export type ThreadAnswer<Answer> =
  | { readonly kind: 'ready' }
  /** The thread's `create` rejected its settings: path → reason. */
  | { readonly kind: 'refused'; readonly reasons: Readonly<Record<string, string>> }
  | { readonly kind: 'answer'; readonly id: number; readonly value: Answer }
  | { readonly kind: 'failed'; readonly id: number; readonly failure: ThreadFailure }

export type Work = {
  /** Returns true once the question was given up; long work checks this between two steps. */
  stopped(): boolean
  /** Transfers the buffer of the answer's bytes instead of copying it; the thread must not read the bytes again. */
  transfer(bytes: Uint8Array): void
}

/** Answers one question of the program. */
export type Answerer<Question = unknown> = (question: Question, work: Work) => unknown

/**
 * Runs a thread that `createThread` starts. `create` gets the thread's `data`. A SettingsError of `create`, and the
 * name, code and place of an answer's error, are sent to the program. The types aren't checked at run time.
 */
export async function runThread<Data = unknown, Question = unknown>(
  create: (data: Data) => Answerer<Question> | Promise<Answerer<Question>>,
): Promise<void> {
  const { data, stopped }: ThreadStart<Data> = workerData
  const givenUp = new Int32Array(stopped)
  try {
    const answerer = await create(data)
    parentPort?.on('message', ({ id, slot, question }: ThreadQuestion<Question>) => {
      const transfer: ArrayBuffer[] = []
      const work: Work = {
        stopped: () => Atomics.load(givenUp, slot) === id,
        transfer: (bytes) => void transfer.push(...buffersOf(bytes)),
      }
      void answer(id, async () => await answerer(question, work), transfer) // never rejects
    })
    send({ kind: 'ready' })
  } catch (error) {
    // Any other error ends the thread; the program sees its exit.
    if (!(error instanceof SettingsError)) throw error
    send({ kind: 'refused', reasons: error.reasons })
  }
}

async function answer(id: number, give: () => Promise<unknown>, transfer: ArrayBuffer[]): Promise<void> {
  try {
    const value = await give()
    send({ kind: 'answer', id, value }, transfer)
  } catch (error) {
    const { code = 'THREAD_ANSWER', ...failure } = failureOf(error)
    send({ kind: 'failed', id, failure: { code, ...failure } })
  }
}

function send(answer: ThreadAnswer<unknown>, transfer: ArrayBuffer[] = []): void {
  parentPort?.postMessage(answer, transfer)
}

/** Returns the buffer of the bytes when the bytes fill the whole buffer, so that it can be transferred. */
function buffersOf({ buffer, byteLength }: Uint8Array): ArrayBuffer[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : []
}

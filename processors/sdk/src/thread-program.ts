import { parentPort, workerData } from 'node:worker_threads'
import { failureOf, SettingsError, type ThreadFailure } from './failure.ts'

/** The `workerData` of a thread. */
export type ThreadStart = {
  /** One 32-bit number: the id of the newest question that was given up. */
  readonly stopped: SharedArrayBuffer
  readonly data: unknown
}

export type ThreadQuestion = { readonly id: number; readonly question: unknown }

export type ThreadAnswer =
  | { readonly kind: 'ready' }
  /** The thread's `create` rejected its settings: path → reason. */
  | { readonly kind: 'refused'; readonly reasons: Readonly<Record<string, string>> }
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failed'; readonly id: number; readonly failure: ThreadFailure }

/** Lets long work check between two steps whether its question was given up. */
export type Work = { stopped(): boolean }

/** Answers one question of the program. Questions come one after the other. */
export type Answerer = (question: unknown, work: Work) => unknown

/**
 * Runs a thread that `createThread` starts. `create` gets the thread's `data`. A SettingsError of `create`, and the
 * name, code and place of an answer's error, are sent to the program.
 */
export async function runThread(create: (data: unknown) => Answerer | Promise<Answerer>): Promise<void> {
  const { data, stopped }: ThreadStart = workerData
  const newest = new Int32Array(stopped)
  try {
    const answerer = await create(data)
    parentPort?.on('message', ({ id, question }: ThreadQuestion) => {
      const work: Work = { stopped: () => Atomics.load(newest, 0) >= id }
      void answer(id, async () => await answerer(question, work)) // never rejects
    })
    tell({ kind: 'ready' })
  } catch (error) {
    // Any other error ends the thread; the program sees its exit.
    if (!(error instanceof SettingsError)) throw error
    tell({ kind: 'refused', reasons: error.reasons })
  }
}

async function answer(id: number, give: () => Promise<unknown>): Promise<void> {
  try {
    const value = await give()
    tell({ kind: 'answer', id, value }, value instanceof Uint8Array ? buffersOf(value) : [])
  } catch (error) {
    const { code = 'THREAD_ANSWER', ...failure } = failureOf(error)
    tell({ kind: 'failed', id, failure: { code, ...failure } })
  }
}

function tell(answer: ThreadAnswer, transfer: ArrayBuffer[] = []): void {
  parentPort?.postMessage(answer, transfer)
}

/** Returns the buffer to transfer instead of copying, when the array spans its whole buffer. */
function buffersOf({ buffer, byteLength }: Uint8Array): ArrayBuffer[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : []
}

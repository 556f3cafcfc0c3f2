import { parentPort, workerData } from 'node:worker_threads'
import { failureOf, SettingsError, type ThreadFailure } from './failure.ts'

/** What a thread is started with. */
export type ThreadStart = {
  /** One number: the id of the newest question that nobody waits for any more. */
  readonly stopped: SharedArrayBuffer
  readonly data: unknown
}

export type ThreadQuestion = { readonly id: number; readonly question: unknown }

export type ThreadAnswer =
  | { readonly kind: 'ready' }
  /** It can't work with these settings: path → reason. */
  | { readonly kind: 'refused'; readonly reasons: Readonly<Record<string, string>> }
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failed'; readonly id: number; readonly failure: ThreadFailure }

/** What long work looks at between two steps: true once nobody waits for it. */
export type Work = { stopped(): boolean }

/** Answers one question of the program; its questions come one after the other. */
export type Answerer = (question: unknown, work: Work) => unknown

/**
 * The program of a thread that `createThread` starts. `create` gets the thread's `data`; a SettingsError it throws is told to
 * the program, and so is what an answer throws, by name, code and place.
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
    // Whatever else keeps it from starting ends the thread, which the program sees.
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

/** Handed over instead of copied, where the array is all of its buffer. */
function buffersOf({ buffer, byteLength }: Uint8Array): ArrayBuffer[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : []
}

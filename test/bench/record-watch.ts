import { once } from 'node:events'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'

export const COUNTERS = { received: 0, wrong: 1, repeats: 2, late: 3, disconnected: 4 } as const
export type RecordCounts = Readonly<Record<keyof typeof COUNTERS, number>>

export type WatchSettings = {
  readonly port: number
  readonly token: string
  readonly subject: string
  readonly counters: SharedArrayBuffer
}

/** The expected content of the records of one run. */
export type Expectation = {
  readonly template: Uint8Array
  readonly serialOffset: number
  /** The answer's JSON; empty skips the check (a stream's answer is assembled). */
  readonly answer: string
  readonly firstSerial: number
  /** Number of serials, counted from the first. */
  readonly capacity: number
}

/** The load's side of the subscriber thread. */
export type RecordWatch = {
  expect(expectation: Expectation): Promise<void>
  readonly counts: RecordCounts
  /** Waits until `count` different records have come, or no new record for `quietMs`. */
  settled(count: number, quietMs?: number): Promise<RecordCounts>
  [Symbol.asyncDispose](): Promise<void>
}

export async function watchRecords(bus: Omit<WatchSettings, 'counters'>): Promise<RecordWatch> {
  const shared = new SharedArrayBuffer(Object.keys(COUNTERS).length * Int32Array.BYTES_PER_ELEMENT)
  const counters = new Int32Array(shared)
  const worker = new Worker(join(import.meta.dirname, 'record-worker.ts'), { workerData: { ...bus, counters: shared } })
  const nextAnswer = (): Promise<unknown> => once(worker, 'message')
  const value = (counter: keyof typeof COUNTERS): number => Atomics.load(counters, COUNTERS[counter])
  const counts = (): RecordCounts => ({
    received: value('received'),
    wrong: value('wrong'),
    repeats: value('repeats'),
    late: value('late'),
    disconnected: value('disconnected'),
  })
  await nextAnswer()
  return {
    expect: async (expectation) => {
      const ready = nextAnswer()
      worker.postMessage(expectation)
      await ready
    },
    get counts() {
      return counts()
    },
    settled: async (count, quietMs = 3_000) => {
      let last = -1
      let since = performance.now()
      while (value('received') < count && performance.now() - since < quietMs) {
        if (value('received') !== last) since = performance.now()
        last = value('received')
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
      return counts()
    },
    [Symbol.asyncDispose]: async () => {
      await worker.terminate()
    },
  }
}

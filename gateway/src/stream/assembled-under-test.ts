import assert from 'node:assert/strict'
import { createJsonEngine } from '../json/json-scan.ts'
import { TurnBudget } from '../work/turn-budget.ts'
import { type StreamOutcome, StreamReader } from './stream-reader.ts'

/** Returns a reader's outcome for a stream of these chunks. */
export function readStream(chunks: readonly Buffer[]): StreamOutcome {
  const reader = new StreamReader(new TurnBudget(), createJsonEngine())
  for (const chunk of chunks) reader.add(chunk)
  return reader.finish()
}

/** Cuts bytes into chunks of `size`, as from a socket. */
export function chunksOf(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size))
}

/** Returns a stream's message, asserting that it doesn't depend on the chunks; undefined where there is none. */
export function assembled(text: string): unknown | undefined {
  const bytes = Buffer.from(text)
  const outcome = readStream([bytes])
  for (const size of [1, 2, 7, 113]) assert.deepEqual(readStream(chunksOf(bytes, size)), outcome, `chunks of ${size}`)
  return outcome.kind === 'message' ? JSON.parse(outcome.json.toString()) : undefined
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { drawDelayMs } from './mock.ts'

// Rules: docs/reference/processors.md#mock

const DRAWS = 20_000
const CAP_MS = 50_000

const MEANS: readonly (readonly [lambda: number, meanMs: number])[] = [
  [0.2, 500],
  [1, 100],
  [0.05, 2_000],
  [50, 2],
]

test('delays are exponential with mean 100/LAMBDA ms, within 3 % over 20,000 draws', () => {
  for (const [lambda, meanMs] of MEANS) {
    const random = seededRandom(1_763_690_430)
    const draws = Array.from({ length: DRAWS }, () => drawDelayMs(lambda, CAP_MS, random))
    const mean = draws.reduce((sum, delay) => sum + delay, 0) / DRAWS
    assert.ok(Math.abs(mean / meanMs - 1) < 0.03, `lambda ${lambda}: mean ${mean}`)
    // In an exponential distribution 1/e of the draws are above the mean, and 1/e² above twice the mean.
    for (const times of [1, 2]) {
      const above = draws.filter((delay) => delay > times * meanMs).length / DRAWS
      assert.ok(Math.abs(above - Math.exp(-times)) < 0.012, `lambda ${lambda}: ${above} above ${times} means`)
    }
  }
})

test('LAMBDA 0 gives no delay', () => {
  assert.equal(
    drawDelayMs(0, CAP_MS, () => assert.fail('drawn')),
    0,
  )
})

test('a delay is finite and never longer than the cap, for any LAMBDA and any random number', () => {
  for (const lambda of [5e-324, 1e-9, 0.2, 1e308]) {
    for (const u of [0, 5e-324, 0.5, 1 - 2 ** -53]) {
      const delay = drawDelayMs(lambda, CAP_MS, () => u)
      assert.ok(delay >= 0 && delay <= CAP_MS, `lambda ${lambda}, u ${u}: ${delay}`)
    }
  }
})

/** Makes a random function with the same draws in every run (mulberry32). */
function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

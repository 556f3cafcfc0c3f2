import assert from 'node:assert/strict'

/** Cold code, a garbage collection or a busy machine lengthens a turn of some rounds, and a defect one of every round. */
const MOST_ROUNDS = 8

/**
 * Repeats a scene until its longest turn takes less than `limitMs` of CPU time, and fails if no round is so short. The
 * scene returns the milliseconds of its longest turn.
 */
export async function assertShortTurns(limitMs: number, scene: () => number | Promise<number>): Promise<void> {
  const rounds: number[] = []
  while (rounds.length < MOST_ROUNDS && Math.min(...rounds) >= limitMs) rounds.push(await scene())
  assert.ok(Math.min(...rounds) < limitMs, `the longest turns of ${rounds.length} rounds took ${rounds.join(', ')} ms`)
}

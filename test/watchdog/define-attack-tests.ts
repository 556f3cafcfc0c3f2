import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Attack } from './attack.ts'
import { type AttackScene, startAttackScene } from './attack-scene.ts'
import { type AttackMeasurements, measureAttack } from './measure-attack.ts'

/**
 * Defines a test for each attack of a class. Prints the table of measurements at the end, also after failures.
 * WATCHDOG=1 (`make soak`) also runs the long attacks and judges the neighbour's latency, which needs a quiet machine.
 */
export function defineAttackTests(kind: string, attacks: readonly Attack[], { WATCHDOG }: NodeJS.ProcessEnv): void {
  const isLong = WATCHDOG === '1'
  const rows: string[] = []
  describe(`hostile ${kind} harm no other caller`, () => {
    let scene: AttackScene
    before(async () => {
      scene = await startAttackScene()
    })
    after(async () => {
      await scene?.close()
      console.log([HEAD, ...rows].join('\n'))
    })
    for (const attack of attacks.filter(({ long }) => long !== true || isLong)) {
      test(`${attack.name}: ${attack.rule}`, async () => {
        const figures = await measureAttack(scene, attack, isLong)
        rows.push(row(`${kind}: ${attack.name}`, figures))
        assert.deepEqual(figures.broken, [])
      })
    }
  })
}

const HEAD =
  '| attack | worst ms | control ms | calls | not 200 | turn CPU ms | MiB before | at worst | after | lost | s | broken |'

function row(name: string, figures: AttackMeasurements): string {
  const { neighbour, records, longestTurnMs, beforeMib, peakMib, afterMib, seconds, broken } = figures
  const { calls, statuses, worstMs } = neighbour.gateway
  const answered = statuses['200'] ?? 0
  const cells = [
    name,
    Math.round(worstMs),
    Math.round(neighbour.control.worstMs),
    calls,
    calls - answered,
    longestTurnMs < 10 ? '< 10' : Math.round(longestTurnMs),
    Math.round(beforeMib),
    figures.lives ? Math.round(peakMib) : `${Math.round(peakMib)}, ended`,
    Math.round(afterMib),
    answered - records.came,
    seconds.toFixed(1),
    broken.length === 0 ? 'no' : broken.join('; '),
  ]
  return `| ${cells.join(' | ')} |`
}

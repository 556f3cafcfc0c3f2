import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type AttackScene, startAttackScene } from '../watchdog/attack-scene.ts'
import { untilQuiet } from '../watchdog/attacked-gateway.ts'
import { judgeRound, type Round, runTraffic } from './traffic.ts'

/** Traffic goes on for so long; `make soak` sets more. */
const SECONDS = Number(process.env.SOAK_SECONDS ?? '20')
/** The seed of the first attack; one more for each that follows. */
const FIRST_SEED = Number(process.env.SOAK_SEED ?? '1')
const ROUND_MS = 30_000
/** After the first round every code is compiled and every buffer has its size: memory is compared with then. */
const SLACK_MIB = 96

describe('soak: hostile callers, LLM APIs and processors', () => {
  let scene: AttackScene
  before(async () => {
    scene = await startAttackScene()
  })
  after(() => scene?.close())

  test('nobody ends the gateway, stalls it, makes it grow or costs an ordinary call its record', async (t) => {
    const gateway = await scene.gateway('shared')
    const rounds: Round[] = []
    const end = performance.now() + SECONDS * 1_000
    let seed = FIRST_SEED
    let startMib = 0
    while (performance.now() < end) {
      const round = await runTraffic(scene, seed, Math.min(ROUND_MS, end - performance.now()))
      rounds.push(round)
      seed = round.nextSeed
      t.diagnostic(`seeds ${round.firstSeed} to ${seed - 1}: ${describeRound(round)}`)
      const broken = judgeRound(round)
      const attacks = round.attacks.map((attack) => `SOAK_SEED=${attack.seed}: ${attack.name}`).join('\n')
      assert.deepEqual(broken, [], `${broken.join('; ')} while these ran:\n${attacks}`)
      if (startMib === 0) startMib = await untilQuiet(gateway)
    }
    const endMib = await untilQuiet(gateway)
    t.diagnostic(
      `seeds ${FIRST_SEED} to ${seed - 1}, ${Math.round(startMib)} MiB after the first round, ${Math.round(endMib)} at the end`,
    )
    assert.ok(rounds.length > 0 && rounds.every(({ attacks }) => attacks.length > 0))
    assert.ok(
      endMib <= startMib + SLACK_MIB,
      `${Math.round(startMib)} MiB after the first round, ${Math.round(endMib)} at the end`,
    )
  })
})

function describeRound({ attacks, neighbour, ordinary, longestTurnMs, peakMib }: Round): string {
  const { calls, worstMs } = neighbour.gateway
  const turn = longestTurnMs === 0 ? 'below 10' : Math.round(longestTurnMs)
  const control = Math.round(neighbour.control.worstMs)
  return `${attacks.length} attacks, ${ordinary.calls} ordinary calls, ${calls} small ones, their worst ${Math.round(worstMs)} ms (control ${control}), turn ${turn} ms of CPU, ${Math.round(peakMib)} MiB`
}

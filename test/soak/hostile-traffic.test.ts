import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type AttackScene, startAttackScene } from '../watchdog/attack-scene.ts'
import { type AttackedGateway, longestTurn, type Turn, untilIdle, untilQuiet } from '../watchdog/attacked-gateway.ts'
import { MIB } from '../watchdog/bodies.ts'
import { judgeRound, type Round, runTraffic } from './traffic.ts'

/** Traffic goes on for so long; `make soak` sets more. */
const SECONDS = Number(process.env.SOAK_SECONDS ?? '20')
/** The seed of the first attack; one more for each that follows. */
const FIRST_SEED = Number(process.env.SOAK_SEED ?? '1')
const ROUND_MS = 30_000
/** After so many rounds every code is compiled and every buffer has its size: memory is compared with then. */
const WARM_ROUNDS = 2
/** Rounds of which the middle one counts, at the start and at the end. */
const COMPARED = 3
/**
 * MiB that each may be larger at the end. Of the heap and of buffers a leak of a kilobyte in each of the 15,000 attacks of an
 * hour is more. Resident memory has what glibc keeps between small objects too, of which a later attack may leave more.
 */
const SLACK_MIB = { heap: 8, buffers: 12, resident: 128 }
/** At any time, once the gateway is idle. */
const IDLE_MIB = 512

describe('soak: hostile callers, LLM APIs and processors', () => {
  let scene: AttackScene
  before(async () => {
    scene = await startAttackScene()
  })
  after(() => scene?.close())

  test('nobody ends the gateway, stalls it, makes it grow or costs an ordinary call its record', async () => {
    const gateway = await scene.gateway('shared')
    const rounds: Round[] = []
    const end = performance.now() + SECONDS * 1_000
    let seed = FIRST_SEED
    const idle: Idle[] = []
    while (performance.now() < end) {
      const round = await runTraffic(scene, seed, Math.min(ROUND_MS, end - performance.now()))
      rounds.push(round)
      seed = round.nextSeed
      console.log(`seeds ${round.firstSeed} to ${seed - 1}: ${describeRound(round)}`)
      const broken = judgeRound(round)
      const attacks = round.attacks.map((attack) => `SOAK_SEED=${attack.seed}: ${attack.name}`).join('\n')
      assert.deepEqual(broken, [], `${broken.join('; ')} while these ran:\n${attacks}`)
      idle.push(await idleMemory(gateway))
      console.log(`idle: ${JSON.stringify(idle.at(-1))}`)
    }
    console.log(`seeds ${FIRST_SEED} to ${seed - 1}`)
    assert.ok(rounds.length > 0 && rounds.every(({ attacks }) => attacks.length > 0))
    assert.deepEqual(judgeIdle(idle), [])
  })
})

/** MiB of a gateway that has nothing to do, garbage collected. */
type Idle = { readonly resident: number; readonly heap: number; readonly buffers: number }

async function idleMemory(gateway: AttackedGateway): Promise<Idle> {
  await untilIdle(gateway)
  const resident = Math.round(await untilQuiet(gateway))
  const { heapUsed = 0, arrayBuffers = 0 } = gateway.leftMemory() ?? {}
  return { resident, heap: Math.round(heapUsed / MIB), buffers: Math.round(arrayBuffers / MIB) }
}

/** Each sentence is a rule that was broken. What grew is seen from six rounds on, three minutes; what is too much, at once. */
function judgeIdle(idle: readonly Idle[]): readonly string[] {
  const most = Math.max(...idle.map(({ resident }) => resident))
  const broken = most <= IDLE_MIB ? [] : [`the idle gateway kept ${most} MiB of ${IDLE_MIB}`]
  if (idle.length < WARM_ROUNDS + COMPARED + 1) return broken
  for (const part of ['heap', 'buffers', 'resident'] as const) {
    const start = middle(idle.slice(WARM_ROUNDS, WARM_ROUNDS + COMPARED).map((each) => each[part]))
    const end = middle(idle.slice(-COMPARED).map((each) => each[part]))
    if (end > start + SLACK_MIB[part]) broken.push(`${part}: ${start} MiB at the start, ${end} at the end`)
  }
  return broken
}

function middle(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0
}

function describeRound(round: Round): string {
  const { attacks, neighbour, ordinary, turns, peakMib } = round
  const { calls, worstMs } = neighbour.gateway
  const longest = Math.round(longestTurn(turns))
  const control = Math.round(neighbour.control.worstMs)
  return `${attacks.length} attacks, ${ordinary.calls} ordinary calls, ${calls} small ones, their worst ${Math.round(worstMs)} ms (control ${control}; ${describeWait(round)}), turn ${longest} ms of CPU, ${Math.round(peakMib)} MiB`
}

/** What the slowest of the neighbour's calls waited for: turns of the gateway's main thread beside it, and the attacks. */
function describeWait({ attacks, neighbour, turns }: Round): string {
  const { worstMs, worstEndedMs } = neighbour.gateway
  const began = worstEndedMs - worstMs
  const beside = turns.filter(({ atMs, passedMs }) => atMs >= began && atMs - passedMs <= worstEndedMs)
  const sum = (of: (turn: Turn) => number): number => Math.round(beside.reduce((total, turn) => total + of(turn), 0))
  const underWay = attacks.filter(
    ({ beganMs, endedMs = Number.POSITIVE_INFINITY }) => beganMs <= worstEndedMs && endedMs >= began,
  )
  const names = underWay.map(({ seed, name }) => `${seed} ${name}`).join(' | ')
  return `beside it long turns of ${sum(({ passedMs }) => passedMs)} ms with ${sum(({ cpuMs }) => cpuMs)} of CPU, and ${names}`
}

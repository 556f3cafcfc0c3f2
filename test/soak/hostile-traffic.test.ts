import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type AttackScene, startAttackScene } from '../watchdog/attack-scene.ts'
import {
  type AttackedGateway,
  longestTurn,
  steadyMemoryMib,
  type Turn,
  untilIdle,
} from '../watchdog/attacked-gateway.ts'
import { MIB } from '../watchdog/bodies.ts'
import { ATTACK_NAMES, assertRound, runTraffic, type TrafficRound } from './traffic.ts'

/** Seconds of traffic; `make soak` sets more. */
const SECONDS = Number(process.env.SOAK_SECONDS ?? '20')
/** The seed of the first attack; each later attack adds one. */
const FIRST_SEED = Number(process.env.SOAK_SEED ?? '1')
const ROUND_MS = 30_000
/** After these rounds all code is compiled and buffers have their sizes; heap and buffers are compared with this state. */
const WARM_ROUNDS = 2
/** Number of rounds at the start and at the end whose median is compared. */
const COMPARED = 3
/**
 * MiB by which each part may be larger at the end. A leak of a kilobyte in each of an hour's 15,000 attacks exceeds the
 * bounds of heap and buffers. Resident memory includes free space that the allocator keeps between small objects. It
 * reaches its size once every attack has run, so that it is compared with the rounds after that (the seventh on, mostly).
 */
const SLACK_MIB = { heap: 8, code: 16, buffers: 12, resident: 128 }
/** Bound at any time at which the gateway is idle. */
const IDLE_MIB = 512

describe('soak: hostile callers, LLM APIs and processors', () => {
  let scene: AttackScene
  before(async () => {
    scene = await startAttackScene()
  })
  after(() => scene?.close())

  test('hostile traffic neither ends, stalls nor grows the gateway, and every ordinary call has its record', async () => {
    const gateway = await scene.gateway('shared')
    const rounds: TrafficRound[] = []
    const end = performance.now() + SECONDS * 1_000
    let seed = FIRST_SEED
    const idle: Idle[] = []
    const unseen = new Set(ATTACK_NAMES)
    let roundsUntilAllSeen: number | undefined
    while (performance.now() < end) {
      const round = await runTraffic(scene, seed, Math.min(ROUND_MS, end - performance.now()))
      rounds.push(round)
      seed = round.nextSeed
      console.log(`seeds ${round.firstSeed} to ${seed - 1}: ${describeRound(round)}`)
      for (const text of [...round.records.missing, ...round.ordinaryRecords.missing]) console.log(text)
      const broken = assertRound(round)
      const attacks = round.attacks.map((attack) => `SOAK_SEED=${attack.seed}: ${attack.name}`).join('\n')
      assert.deepEqual(broken, [], `${broken.join('; ')} while these ran:\n${attacks}`)
      idle.push(await idleMemory(gateway))
      console.log(`idle: ${JSON.stringify(idle.at(-1))}`)
      for (const { name } of round.attacks) unseen.delete(name)
      if (unseen.size === 0) roundsUntilAllSeen ??= rounds.length
    }
    console.log(`seeds ${FIRST_SEED} to ${seed - 1}; every attack has run after ${roundsUntilAllSeen} rounds`)
    assert.ok(rounds.length > 0 && rounds.every(({ attacks }) => attacks.length > 0))
    assert.deepEqual(judgeIdle(idle, roundsUntilAllSeen ?? Number.POSITIVE_INFINITY), [])
  })
})

/**
 * MiB of an idle gateway after a garbage collection. The heap is counted without compiled code, of which V8 makes some
 * MiB in an hour of all kinds of traffic.
 */
type Idle = { readonly resident: number; readonly heap: number; readonly code: number; readonly buffers: number }

async function idleMemory(gateway: AttackedGateway): Promise<Idle> {
  await untilIdle(gateway)
  const resident = Math.round(await steadyMemoryMib(gateway))
  const { heapUsed = 0, heapCode = 0, arrayBuffers = 0 } = gateway.leftMemory() ?? {}
  const [heap, code, buffers] = [heapUsed - heapCode, heapCode, arrayBuffers].map((bytes) => Math.round(bytes / MIB))
  return { resident, heap: heap ?? 0, code: code ?? 0, buffers: buffers ?? 0 }
}

/** Returns the broken rules as sentences: growth, and the bound in each round. */
function judgeIdle(idle: readonly Idle[], roundsUntilAllSeen: number): readonly string[] {
  const most = Math.max(...idle.map(({ resident }) => resident))
  const broken = most <= IDLE_MIB ? [] : [`the idle gateway kept ${most} MiB of ${IDLE_MIB}`]
  const allSeen = Math.max(WARM_ROUNDS, roundsUntilAllSeen)
  const firsts = { heap: WARM_ROUNDS, code: WARM_ROUNDS, buffers: WARM_ROUNDS, resident: allSeen }
  for (const part of ['heap', 'code', 'buffers', 'resident'] as const) {
    const first = firsts[part]
    if (idle.length <= first + COMPARED) continue
    const start = median(idle.slice(first, first + COMPARED).map((each) => each[part]))
    const end = median(idle.slice(-COMPARED).map((each) => each[part]))
    if (end > start + SLACK_MIB[part]) broken.push(`${part}: ${start} MiB at the start, ${end} at the end`)
  }
  return broken
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0
}

function describeRound(round: TrafficRound): string {
  const { attacks, neighbour, ordinary, records, ordinaryRecords, recordsLeftMs, turns, peakMib } = round
  const { calls, worstMs } = neighbour.gateway
  const longest = Math.round(longestTurn(turns))
  const unread = records.unread + ordinaryRecords.unread
  const control = Math.round(neighbour.control.worstMs)
  return `${attacks.length} attacks, ${ordinary.calls} ordinary calls, ${calls} small ones, their worst ${Math.round(worstMs)} ms (control ${control}; ${describeWait(round)}), turn ${longest} ms of CPU, ${Math.round(peakMib)} MiB, records left after ${(recordsLeftMs / 1_000).toFixed(1)} s${unread === 0 ? '' : `, ${unread} records not read yet, but in the stream`}`
}

/** Describes the wait of the neighbour's slowest call: the main thread's turns and the attacks at that time. */
function describeWait({ attacks, neighbour, turns }: TrafficRound): string {
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

import { openRecordStream, type StoredRecord } from '../fake/record-stream.ts'
import { createRandom, type Random } from '../operator/random.ts'
import type { Attack } from '../watchdog/attack.ts'
import type { AttackScene } from '../watchdog/attack-scene.ts'
import { type AttackedGateway, longestTurn, type Turn } from '../watchdog/attacked-gateway.ts'
import { ANSWERS } from '../watchdog/attacks/answers.ts'
import { CONNECTIONS } from '../watchdog/attacks/connections.ts'
import { HEADERS } from '../watchdog/attacks/headers.ts'
import { RECORDS } from '../watchdog/attacks/records.ts'
import { REPLIES } from '../watchdog/attacks/replies.ts'
import { REQUESTS } from '../watchdog/attacks/requests.ts'
import { STREAMS } from '../watchdog/attacks/streams.ts'
import { RESIDENT_BOUND_MIB } from '../watchdog/measure-attack.ts'
import type { NeighbourReport, TallyReport } from '../watchdog/side-processes.ts'
import { changeConfiguration } from './change-configuration.ts'
import { type OrdinaryCallCounts, ordinaryCalls } from './ordinary-calls.ts'

/** `beganMs` and `endedMs` are Unix milliseconds; a running attack has no end. */
export type SoakAttack = {
  readonly seed: number
  readonly name: string
  readonly beganMs: number
  endedMs: number | undefined
}

/** The results of half a minute of traffic. */
export type TrafficRound = {
  readonly firstSeed: number
  readonly nextSeed: number
  readonly attacks: readonly SoakAttack[]
  readonly neighbour: NeighbourReport
  readonly records: TallyReport
  /** Calls of random sizes, in addition to the neighbour's small calls. */
  readonly ordinary: OrdinaryCallCounts
  readonly ordinaryRecords: TallyReport
  /** The losses of records since the start by reason, from `/status`. */
  readonly recordCounts: string
  readonly lives: boolean
  /** The main thread's turns of 10 ms and more. */
  readonly turns: readonly Turn[]
  readonly peakMib: number
}

/** Attacks that don't end the gateway or its bus and don't change its configuration. */
const CLASSES: readonly (readonly Attack[])[] = [
  ANSWERS,
  STREAMS,
  REQUESTS,
  RECORDS,
  REPLIES,
  CONNECTIONS,
  HEADERS,
].map((kind) => kind.filter(({ gateway, spares }) => gateway === undefined && spares === undefined))
const AT_ONCE = 2
/** CPU time of a main thread's turn that a neighbour would notice. */
const STALL_MS = 250
const ATTACK_MS = 60_000
/** The last records of the stream among which a missing one is searched, and the characters shown of a record's end, its times. */
const SEARCHED_RECORDS = 20_000
const SHOWN = 400
const SHOWN_LINES = 10

/** Runs attacks drawn by seeds, two in parallel, with ordinary calls and reloads, for `milliseconds`. */
export async function runTraffic(scene: AttackScene, firstSeed: number, milliseconds: number): Promise<TrafficRound> {
  const gateway = await scene.gateway('shared')
  const tag = `soak${firstSeed}`
  const attacks: SoakAttack[] = []
  const began = Date.now()
  const end = performance.now() + milliseconds
  const goesOn = (): boolean => performance.now() < end && gateway.lives
  let seed = firstSeed
  gateway.resetPeak()
  await scene.neighbour.begin(gateway.process.port, tag)
  const attacking = async (): Promise<void> => {
    while (goesOn()) {
      const own = seed
      seed += 1
      const random = createRandom(own)
      const attack = random.pick(random.pick(CLASSES))
      const running: SoakAttack = { seed: own, name: attack.name, beganMs: Date.now(), endedMs: undefined }
      attacks.push(running)
      await runAttackOnce(scene, gateway, { attack, random })
      running.endedMs = Date.now()
    }
  }
  const context = { random: createRandom(firstSeed), goesOn }
  const calling = ordinaryCalls(gateway.process.port, `ordinary${firstSeed}`, context)
  const churning = changeConfiguration(gateway.process, createRandom(firstSeed), goesOn)
  await Promise.all([...Array.from({ length: AT_ONCE }, attacking), churning])
  const ordinary = await calling
  const peakMib = gateway.peakMib()
  const neighbour = await scene.neighbour.end()
  const records = await scene.tally.settled(tag, neighbour.gateway.statuses['200'] ?? 0, 30_000)
  const ordinaryRecords = await scene.tally.settled(`ordinary${firstSeed}`, ordinary.answered, 30_000)
  const isWhole = records.came === neighbour.gateway.statuses['200'] && ordinaryRecords.came === ordinary.answered
  const lost = isWhole
    ? []
    : [await findMissing(scene, tag, records), await findMissing(scene, `ordinary${firstSeed}`, ordinaryRecords)]
  const recordCounts = [await recordStatus(gateway), ...lost, ...busLines(gateway)].join('\n')
  const turns = gateway.turnsSince(began)
  return {
    firstSeed,
    nextSeed: seed,
    attacks,
    neighbour,
    records,
    ordinary,
    ordinaryRecords,
    recordCounts,
    lives: gateway.lives,
    turns,
    peakMib,
  }
}

/** Returns the broken rules as sentences. */
export function assertRound(round: TrafficRound): readonly string[] {
  const { neighbour, records, ordinary, ordinaryRecords, recordCounts, lives, turns, peakMib } = round
  const longestTurnMs = longestTurn(turns)
  const { calls, statuses } = neighbour.gateway
  const rules: readonly (readonly [holds: boolean, sentence: string])[] = [
    [lives, 'the gateway ended'],
    [ordinary.answered === ordinary.calls, `${ordinary.answered} of ${ordinary.calls} ordinary calls got 200`],
    [
      ordinaryRecords.came === ordinary.answered,
      `${ordinaryRecords.came} records of ${ordinary.answered} ordinary calls: ${recordCounts}`,
    ],
    [statuses['200'] === calls, `small calls ended with ${JSON.stringify(statuses)}`],
    [!records.lostConnection, 'the bus cut off the process that counts records'],
    [records.came === (statuses['200'] ?? 0), `${records.came} records of ${calls} small calls: ${recordCounts}`],
    [records.twice + ordinaryRecords.twice === 0, `${records.twice + ordinaryRecords.twice} records came twice`],
    [longestTurnMs <= STALL_MS, `a turn of the main thread took ${longestTurnMs} ms of its CPU`],
    [peakMib <= RESIDENT_BOUND_MIB, `the process took ${Math.round(peakMib)} MiB of ${RESIDENT_BOUND_MIB}`],
  ]
  return rules.filter(([holds]) => !holds).map(([, sentence]) => sentence)
}

async function recordStatus({ process }: AttackedGateway): Promise<string> {
  const answer = await fetch(`${process.adminUrl}/status`)
  const { records } = JSON.parse(await answer.text())
  return JSON.stringify(records)
}

/** Describes where missing records are: in the bus's stream or not, with the records around them. */
async function findMissing({ nats }: AttackScene, tag: string, { missing, total }: TallyReport): Promise<string> {
  await using stream = await openRecordStream(nats)
  const last = (await stream.info())?.state.last_seq ?? 0
  const names = missing.map(({ serial }) => `"user":"${tag}-${String(serial).padStart(9, '0')}"`)
  const ids = missing.map(({ idBefore }) => idBefore.replace(/\d+$/, (sequence) => String(Number(sequence) + 1)))
  const found: string[] = []
  const show = ({ sequence, messageId = '', text }: StoredRecord): void => {
    if (ids.includes(messageId)) found.push(`after the record before it: ${sequence} …${text.slice(-SHOWN)}`)
    if (names.some((name) => text.includes(name)))
      found.push(`in the stream: ${sequence} ${messageId} …${text.slice(-SHOWN)}`)
  }
  await stream.each(show, Math.max(1, last - SEARCHED_RECORDS))
  return JSON.stringify({ at: new Date().toISOString(), tag, missing, total, last, found })
}

/** Returns the gateway's last log lines about bus and spool. */
function busLines({ process }: AttackedGateway): readonly string[] {
  return process.lines.entries.filter((line) => /"msg":"[^"]*(bus|spool)/.test(line)).slice(-SHOWN_LINES)
}

/** Runs an attack with random sizes. Its own findings are ignored; only the effect on others counts. */
async function runAttackOnce(
  scene: AttackScene,
  gateway: AttackedGateway,
  { attack, random }: { readonly attack: Attack; readonly random: Random },
): Promise<void> {
  const { tools, leave } = scene.enter(gateway, (most) => randomSize(random, most))
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ATTACK_MS)
  })
  await Promise.race([attack.run(tools).catch(() => undefined), late])
  clearTimeout(timer)
  leave()
}

/** Returns a random size: every order of magnitude is equally likely, and sometimes it is the largest size. */
function randomSize(random: Random, most: number): number {
  if (random.chance(0.1)) return most
  const magnitude = Math.log2(most) * (random.below(1_000) / 1_000)
  return Math.max(1, Math.floor(2 ** magnitude))
}

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { askAdmin } from '../fake/ask-admin.ts'
import { readMetric } from '../fake/metric.ts'
import { openRecordStream, type RecordStream } from '../fake/record-stream.ts'
import { createRandom, type Random } from '../operator/random.ts'
import type { Attack } from '../watchdog/attack.ts'
import type { AttackScene } from '../watchdog/attack-scene.ts'
import { type AttackedGateway, longestTurn, type Turn, untilRecordsLeft } from '../watchdog/attacked-gateway.ts'
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
import { RecordSearch } from './record-search.ts'

/** `beganMs` and `endedMs` are Unix milliseconds; a running attack has no end. */
export type SoakAttack = {
  readonly seed: number
  readonly name: string
  readonly beganMs: number
  endedMs: number | undefined
}

/** The records of the calls of one tag. */
export type KeptRecords = {
  /** Number of calls whose record a reader of the subject got, or the stream holds. */
  readonly came: number
  /** Number of calls with two records under two ids. */
  readonly twice: number
  /** Number of records that only the stream had when the reader's time was up. */
  readonly unread: number
  readonly lostConnection: boolean
  /** Where the reader lacks records: what the stream holds of them. */
  readonly missing: readonly string[]
}

/** The results of half a minute of traffic. */
export type TrafficRound = {
  readonly firstSeed: number
  readonly nextSeed: number
  readonly attacks: readonly SoakAttack[]
  readonly neighbour: NeighbourReport
  readonly records: KeptRecords
  /** Calls of random sizes, in addition to the neighbour's small calls. */
  readonly ordinary: OrdinaryCallCounts
  readonly ordinaryRecords: KeptRecords
  /** The milliseconds until the gateway's queue and spool were empty after the last call. */
  readonly recordsLeftMs: number
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
/** The names of all attacks that a round may draw. */
export const ATTACK_NAMES: readonly string[] = CLASSES.flat().map(({ name }) => name)
const AT_ONCE = 2
/** CPU time of a main thread's turn that a neighbour would notice. */
const STALL_MS = 250
const ATTACK_MS = 60_000
/** The time in milliseconds for the reader of the subject to get the last records. */
const READER_MS = 30_000
const SHOWN_LINES = 10
const SHOWN_MISSING = 10

/** Runs attacks drawn by seeds, two in parallel, with ordinary calls and reloads, for `milliseconds`. */
export async function runTraffic(scene: AttackScene, firstSeed: number, milliseconds: number): Promise<TrafficRound> {
  const gateway = await scene.gateway('shared')
  const tag = `soak${firstSeed}`
  const attacks: SoakAttack[] = []
  const began = Date.now()
  const end = performance.now() + milliseconds
  const goesOn = (): boolean => performance.now() < end && gateway.lives
  let seed = firstSeed
  const firstSequence = await nextSequence(scene)
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
  // Small records wait in the spool behind large ones, for longer than the reader's time.
  const recordsLeftMs = await untilRecordsLeft(gateway)
  const small = await recordsOf(scene, { tag, calls: neighbour.gateway.statuses['200'] ?? 0, firstSequence })
  const larger = await recordsOf(scene, { tag: `ordinary${firstSeed}`, calls: ordinary.answered, firstSequence })
  const recordCounts = [await recordStatus(gateway), ...busLines(gateway)].join('\n')
  const turns = gateway.turnsSince(began)
  return {
    firstSeed,
    nextSeed: seed,
    attacks,
    neighbour,
    records: small,
    ordinary,
    ordinaryRecords: larger,
    recordsLeftMs,
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
  const { records } = JSON.parse(await askAdmin(process, '/status'))
  const underWay = await readMetric(process, 'llm_gateway_inflight_requests')
  return JSON.stringify({ ...records, underWay })
}

/**
 * Returns the records of the calls of a tag. A reader of the subject counts them; records that it lacks after its time
 * are searched in the stream, which is the place where no record may be missing.
 */
async function recordsOf(
  scene: AttackScene,
  { tag, calls, firstSequence }: { readonly tag: string; readonly calls: number; readonly firstSequence: number },
): Promise<KeptRecords> {
  const report = await scene.tally.settled(tag, calls, READER_MS)
  const { came, twice, lostConnection } = report
  if (came >= calls) return { came, twice, unread: 0, lostConnection, missing: [] }
  const { unread, found } = await searchStream(scene, { tag, firstSequence, report })
  return { came: came + unread, twice, unread, lostConnection, missing: [found] }
}

/** Counts the records of a tag that only the bus's stream has, and describes the records that the reader lacks. */
async function searchStream(
  { nats }: AttackScene,
  {
    tag,
    firstSequence,
    report,
  }: { readonly tag: string; readonly firstSequence: number; readonly report: TallyReport },
): Promise<{ readonly unread: number; readonly found: string }> {
  await using stream = await openRecordStream(nats)
  const search = new RecordSearch(tag, report)
  await stream.each((record) => search.look(record), firstSequence)
  const last = await lastSequence(stream)
  const sockets = await socketQueues(nats.port)
  const shown = { ...report, missing: report.missing.slice(0, SHOWN_MISSING) }
  const found = { at: new Date().toISOString(), tag, report: shown, last, ...search.result, sockets }
  return { unread: search.unread, found: JSON.stringify(found) }
}

async function nextSequence({ nats }: AttackScene): Promise<number> {
  await using stream = await openRecordStream(nats)
  return (await lastSequence(stream)) + 1
}

async function lastSequence(stream: RecordStream): Promise<number> {
  return (await stream.info())?.state.last_seq ?? 0
}

/** Returns the lines of `ss` about the bus's connections: the bytes that wait in each socket. */
async function socketQueues(port: number): Promise<readonly string[]> {
  const filter = `sport = :${port} or dport = :${port}`
  const lines = await promisify(execFile)('ss', ['-Htnp', filter]).then(({ stdout }) => stdout, String)
  return lines.trim().split('\n')
}

/** Returns the gateway's last log lines about bus and spool, and about calls that failed by a bug. */
function busLines({ process }: AttackedGateway): readonly string[] {
  return process.lines.entries
    .filter((line) => /"msg":"[^"]*(bus|spool|call failed|transaction failed|uncaught)/.test(line))
    .slice(-SHOWN_LINES)
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

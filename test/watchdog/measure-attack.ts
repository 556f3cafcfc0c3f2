import { cpuSeconds } from '../bench/process-cost.ts'
import { readMetric } from '../fake/metric.ts'
import type { Attack } from './attack.ts'
import type { AttackScene } from './attack-scene.ts'
import { type AttackedGateway, longestTurn, steadyMemoryMib, untilRecordsLeft } from './attacked-gateway.ts'
import type { NeighbourReport, TallyReport } from './side-processes.ts'

/** Bound of a task of the main thread, which all callers share. */
const TURN_MS = 50
/** On a busy machine with shared cores and caches the same work takes up to three times the CPU time. */
const SLOW_MACHINE = 3
const SHIPPED_BUFFERED_MIB = 256
/** The stated bound of the process: twice `buffered_bytes`, and the memory without calls. */
export const RESIDENT_BOUND_MIB = 2 * SHIPPED_BUFFERED_MIB + 256
/** Bound of a neighbour's longest call on a quiet machine, checked with WATCHDOG=1 only. */
const NEIGHBOUR_MS = 250

const ATTACK_MS = 60_000
const QUIET_MS = 2_000
const MOST_QUIET_MS = 20_000
const LOOK_MS = 100
/**
 * CPU time between two polls that counts as idle; the kernel counts in steps of 10 ms. The neighbour's calls and the poll
 * take 20 to 30 ms of a gateway whose code is not compiled yet, and the work of an attack takes all of a core.
 */
const IDLE_CPU_MS = 40
const STEADY_LOOKS = 3
const NEIGHBOURS_CALLS = 2
/** A gateway that keeps more memory after an attack is replaced, so that each attack is judged by its own effect. */
const CARRIED_OVER_MIB = 320

export type AttackMeasurements = {
  readonly neighbour: NeighbourReport
  readonly records: TallyReport
  readonly seconds: number
  readonly lives: boolean
  /** CPU time of the event loop's longest turn; 0 if no turn was long enough to be logged. */
  readonly longestTurnMs: number
  readonly beforeMib: number
  readonly peakMib: number
  readonly afterMib: number
  /** Sentences that name the broken rules. */
  readonly broken: readonly string[]
}

/** Runs an attack beside the neighbour and judges the effect. */
export async function measureAttack(scene: AttackScene, attack: Attack, isLong: boolean): Promise<AttackMeasurements> {
  if (attack.gateway === 'own') await scene.drop()
  const gateway = await scene.gateway(attack.gateway ?? 'shared')
  const { tools, leave } = scene.enter(gateway, (most) => most)
  const tag = `neighbour-${tools.tag}`
  const beforeMib = await (attack.keepsMib === undefined ? gateway.residentMib() : steadyMemoryMib(gateway))
  gateway.resetPeak()
  const began = Date.now()
  await scene.neighbour.begin(tools.gateway.port, tag)
  let peakMib = 0
  const watch = setInterval(() => {
    peakMib = Math.max(peakMib, gateway.peakMib())
  }, LOOK_MS).unref()
  const seen = await withinTime(attack.run(tools))
  leave()
  const settledMib = await quietMib(gateway)
  const neighbour = await scene.neighbour.end()
  clearInterval(watch)
  const longestTurnMs = longestTurn(gateway.turnsSince(began))
  const afterMib = attack.keepsMib === undefined ? settledMib : await steadyMemoryMib(gateway)
  const answered = neighbour.gateway.statuses['200'] ?? 0
  // The spool sends 20 MB a second, and small records wait behind large ones. A gateway that has ended has no metrics.
  if (hasRecords(attack)) await untilRecordsLeft(gateway).catch(() => 0)
  const records = await scene.tally.settled(tag, attack.gateway === 'no bus' ? 0 : answered)
  const measured = {
    neighbour,
    records,
    seconds: (Date.now() - began) / 1_000,
    lives: gateway.lives,
    longestTurnMs,
    beforeMib,
    peakMib: Math.max(peakMib, gateway.peakMib()),
    afterMib,
  }
  if (attack.gateway === 'own' || !gateway.lives || afterMib > CARRIED_OVER_MIB) await scene.drop()
  return { ...measured, broken: [...violationsOf(attack, measured, isLong), ...seen] }
}

function violationsOf(attack: Attack, figures: Omit<AttackMeasurements, 'broken'>, isLong: boolean): readonly string[] {
  const { neighbour, records, lives, longestTurnMs, peakMib, beforeMib, afterMib } = figures
  const { calls, statuses, worstMs } = neighbour.gateway
  const answered = statuses['200'] ?? 0
  const { keepsMib = Number.POSITIVE_INFINITY } = attack
  const mayEnd = attack.spares === 'calls'
  const mustHaveRecords = hasRecords(attack)
  const worstAllowed = Math.max(NEIGHBOUR_MS, 2 * neighbour.control.worstMs)
  const rules: readonly (readonly [holds: boolean, sentence: string])[] = [
    [lives || mayEnd, 'the gateway ended'],
    [answered === calls || mayEnd, `the neighbour's answers: ${JSON.stringify(statuses)}`],
    [!mustHaveRecords || records.came === answered, `${records.came} records of ${answered} calls of the neighbour`],
    [!mustHaveRecords || records.twice === 0, `${records.twice} records came twice`],
    [longestTurnMs <= SLOW_MACHINE * TURN_MS, `a turn of the main thread took ${longestTurnMs} ms of its CPU`],
    [peakMib <= RESIDENT_BOUND_MIB, `the process took ${Math.round(peakMib)} MiB of ${RESIDENT_BOUND_MIB}`],
    [afterMib <= beforeMib + keepsMib, `the process keeps ${Math.round(afterMib - beforeMib)} MiB of ${keepsMib}`],
    [!isLong || mayEnd || worstMs <= worstAllowed, `a neighbour's call took ${Math.round(worstMs)} ms`],
  ]
  return rules.filter(([holds]) => !holds).map(([, sentence]) => sentence)
}

/** Returns whether each of the neighbour's calls has a record. */
function hasRecords({ gateway, spares }: Attack): boolean {
  return gateway !== 'no bus' && spares === undefined
}

/** Returns the attack's own findings. An attack that fails or doesn't end breaks a rule too. */
async function withinTime(run: Promise<readonly string[]>): Promise<readonly string[]> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<readonly string[]>((resolve) => {
    timer = setTimeout(() => resolve([`the attack did not end within ${ATTACK_MS} ms`]), ATTACK_MS)
  })
  const failed = run.catch((error: unknown) => [`the attack failed: ${String(error)}`])
  const seen = await Promise.race([failed, late])
  clearTimeout(timer)
  return seen
}

/**
 * Returns the MiB once the gateway has finished the work of the attack (only the neighbour's calls take CPU time), and
 * two seconds have passed or little memory is left to give back.
 */
async function quietMib(gateway: AttackedGateway): Promise<number> {
  const began = performance.now()
  let looks = 0
  let before = Number.POSITIVE_INFINITY
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    if (!gateway.lives) return 0
    const now = await cpuSeconds([gateway.process.pid]).catch(() => 0)
    const underWay = await readMetric(gateway.process, 'llm_gateway_inflight_requests').catch(() => 0)
    const isStill = (now - before) * 1_000 <= IDLE_CPU_MS && underWay <= NEIGHBOURS_CALLS
    looks = isStill ? looks + 1 : 0
    before = now
    const passed = performance.now() - began
    const resident = gateway.residentMib()
    const isSettled = resident < CARRIED_OVER_MIB || passed > QUIET_MS
    if ((looks >= STEADY_LOOKS && isSettled) || passed > MOST_QUIET_MS) return resident
  }
}

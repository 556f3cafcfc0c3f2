import type { LlmGateway } from '@llm-gateway/crds'
import { namesOf } from '../../model/names.ts'
import type { Observation, ObservedDeployment } from '../../model/snapshot.ts'
import { failureText, type ObjectName, objectText } from '../../model/snapshot.ts'
import { isServing } from '../judge-pods.ts'

export type MissedWorkloads = {
  /** Kinds of sinks: what is recorded doesn't arrive there. */
  readonly sinks: readonly string[]
  /** Whether the web interface is away. */
  readonly web: boolean
  /** When to look again at one that may only be starting. */
  readonly againMs: number | undefined
}

/** A pod that is replaced or moves to another node is back before. */
const MISSED_AFTER_MS = 30_000
/** Times of the API server are whole seconds. */
const SECOND_MS = 1_000

/** What calls don't need and hasn't had a pod that is ready for a while. */
export function missedWorkloads({
  sinks = new Map(),
  web,
  now,
}: Pick<Observation, 'sinks' | 'web' | 'now'>): MissedWorkloads {
  const ofSinks = [...sinks].map(([kind, deployment]) => ({ kind, waitMs: waitOf(deployment, now) }))
  const ofWeb = web === undefined ? undefined : waitOf(web, now)
  const waits = [...ofSinks.map(({ waitMs }) => waitMs), ofWeb].filter((waitMs) => waitMs !== undefined)
  const starting = waits.filter((waitMs) => waitMs > 0)
  return {
    sinks: ofSinks.filter(({ waitMs }) => waitMs === 0).map(({ kind }) => kind),
    web: ofWeb === 0,
    againMs: starting.length === 0 ? undefined : Math.min(...starting) + SECOND_MS,
  }
}

/** After how many ms it counts as missed; undefined: it is there. */
function waitOf(deployment: ObservedDeployment, now: string): number | undefined {
  if (isServing(deployment)) return undefined
  const awayMs = Date.parse(now) - Date.parse(deployment.unavailableSince ?? '')
  // Clocks differ: nobody waits for longer than that.
  return awayMs < MISSED_AFTER_MS ? Math.min(MISSED_AFTER_MS - awayMs, MISSED_AFTER_MS) : 0
}

/** Why people can't open the web interface, as part of a sentence; undefined: nothing of that kind is seen. */
export function webTrouble(gateway: LlmGateway, observation: Observation): string | undefined {
  const [conflict] = observation.nameConflicts.filter((object) => isOfWeb(gateway, object))
  if (conflict !== undefined)
    return `can not be made: there is already, and not made by this operator, ${objectText(conflict)}`
  const [failure] = observation.applyFailures.filter((object) => isOfWeb(gateway, object))
  if (failure !== undefined) return `can not be made: ${failureText(failure)}`
  return missedWorkloads(observation).web ? 'has no pod that is ready' : undefined
}

/** Whether an object is the web interface's: what calls don't need is no fault of the gateway's. */
export function isOfWeb({ metadata, spec }: LlmGateway, { name }: ObjectName): boolean {
  return spec.webInterface !== undefined && name === namesOf(metadata).web
}

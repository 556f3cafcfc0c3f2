import type { LlmGateway } from '@llm-gateway/crds'
import { namesOf } from '../../model/names.ts'
import type { Observation, ObservedDeployment } from '../../model/snapshot.ts'
import { failureText, type ObjectName, objectText } from '../../model/snapshot.ts'
import { isServing } from '../judge-pods.ts'

export type UnavailableWorkloads = {
  /** Kinds of sinks without a ready pod. Their targets get no records meanwhile. */
  readonly sinks: readonly string[]
  /** True when the web interface has no ready pod. */
  readonly web: boolean
  /** The ms until a workload that may only be starting is looked at again; undefined: there is none. */
  readonly againMs: number | undefined
}

/** A pod that is replaced or moves to another node is ready again within this time. */
const MISSED_AFTER_MS = 30_000
/** The API server's times are whole seconds. */
const SECOND_MS = 1_000

/** Finds sinks and a web interface that have had no ready pod for 30 seconds. Calls need neither. */
export function unavailableWorkloads({
  sinks = new Map(),
  web,
  now,
}: Pick<Observation, 'sinks' | 'web' | 'now'>): UnavailableWorkloads {
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

/** Returns the ms until a workload counts as missed; undefined: it serves. */
function waitOf(deployment: ObservedDeployment, now: string): number | undefined {
  if (isServing(deployment)) return undefined
  const awayMs = Date.parse(now) - Date.parse(deployment.unavailableSince ?? '')
  // Clocks differ, so the wait is bounded.
  return awayMs < MISSED_AFTER_MS ? Math.min(MISSED_AFTER_MS - awayMs, MISSED_AFTER_MS) : 0
}

/** Returns why people can't open the web interface, as part of a sentence; undefined: no cause is seen. */
export function webTrouble(gateway: LlmGateway, observation: Observation): string | undefined {
  const [conflict] = observation.nameConflicts.filter((object) => isOfWeb(gateway, object))
  if (conflict !== undefined)
    return `can not be made: ${objectText(conflict)} exists already, and this operator did not make it`
  const [failure] = observation.applyFailures.filter((object) => isOfWeb(gateway, object))
  if (failure !== undefined) return `can not be made: the API server refused a change of ${failureText(failure)}`
  return unavailableWorkloads(observation).web ? 'has no ready pod' : undefined
}

/** Returns whether an object is the web interface's. Its faults aren't the gateway's, since calls don't need it. */
export function isOfWeb({ metadata, spec }: LlmGateway, { name }: ObjectName): boolean {
  return spec.webInterface !== undefined && name === namesOf(metadata).web
}

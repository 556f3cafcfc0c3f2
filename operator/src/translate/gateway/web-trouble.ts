import type { LlmGateway } from '@llm-gateway/crds'
import { namesOf } from '../../model/names.ts'
import type { Observation } from '../../model/snapshot.ts'
import { missedWorkloads } from './missed-workloads.ts'

/** Why people can't open the web interface, as part of a sentence; undefined: nothing of that kind is seen. */
export function webTrouble(gateway: LlmGateway, observation: Observation): string | undefined {
  const [conflict] = observation.nameConflicts.filter((name) => isOfWeb(gateway, name))
  if (conflict !== undefined) return `can not be made: there is already, and not made by this operator, ${conflict}`
  const [failure] = observation.applyFailures.filter((name) => isOfWeb(gateway, name))
  if (failure !== undefined) return `can not be made: ${failure}`
  return missedWorkloads(observation).web ? 'has no pod that is ready' : undefined
}

/** `Secret main-web` or `Deployment main-web: Forbidden`: what calls don't need is no fault of the gateway's. */
export function isOfWeb({ metadata, spec }: LlmGateway, told: string): boolean {
  const [, name] = /^\S+ ([^\s:]+)/.exec(told) ?? []
  return spec.webInterface !== undefined && name === namesOf(metadata).web
}

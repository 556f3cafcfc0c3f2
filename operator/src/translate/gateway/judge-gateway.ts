import { type LlmGateway, PAUSED_ANNOTATION } from '@llm-gateway/crds'
import type { Snapshot } from '../../snapshot.ts'
import { allKeys } from '../objects/template-keys.ts'
import type { Verdict } from '../set-condition.ts'
import { readKey, sourceOf } from '../variables/read-key.ts'
import { gatewayIdOf } from './gateway-settings.ts'

/** What can be said of a gateway before anything is made for it. */
export type GatewayVerdict = {
  readonly accepted: Verdict
  readonly resolved: Verdict
  readonly sources: readonly string[]
}

export function judgeGateway(snapshot: Snapshot): GatewayVerdict {
  const { gateway, sources } = snapshot
  const keys = allKeys(gateway)
  const first = keys.map((key) => readKey(key, sources)).find((reading) => reading.kind === 'problem')
  return {
    accepted: accept(snapshot),
    resolved: resolvedVerdict(first),
    sources: keys.map(sourceOf),
  }
}

function accept({ gateway, otherGateways }: Snapshot): Verdict {
  if (gateway.metadata.annotations[PAUSED_ANNOTATION] === 'true') {
    return { status: 'False', reason: 'Paused', message: 'What was made for it is left as it is.' }
  }
  const conflict = otherGateways.find((other) => takesId(other, gateway))
  if (conflict !== undefined) {
    const { namespace, name } = conflict.metadata
    return {
      status: 'False',
      reason: 'GatewayIdConflict',
      message: `LLMGateway ${namespace}/${name} has this gatewayId.`,
    }
  }
  return { status: 'True', reason: 'Accepted', message: 'This operator looks after it.' }
}

/** A made-up id yields to nobody; of two explicit ones the younger is refused. */
function takesId(other: LlmGateway, gateway: LlmGateway): boolean {
  if (gateway.spec.gatewayId === '' || gatewayIdOf(other) !== gateway.spec.gatewayId) return false
  if (other.spec.gatewayId === '') return true
  return ageKey(other) < ageKey(gateway)
}

function ageKey({ metadata }: LlmGateway): string {
  return `${metadata.creationTimestamp} ${metadata.namespace} ${metadata.name}`
}

function resolvedVerdict(failure: { readonly reason: string; readonly detail: string } | undefined): Verdict {
  if (failure === undefined) {
    return { status: 'True', reason: 'ResolvedRefs', message: 'Every reference is there.' }
  }
  const status = failure.reason === 'ReadFailed' ? 'Unknown' : 'False'
  return { status, reason: failure.reason, message: `${failure.detail}.` }
}

import { type LlmGateway, PAUSED_ANNOTATION } from '@llm-gateway/crds'
import type { Snapshot } from '../../snapshot.ts'
import type { Verdict } from '../set-condition.ts'
import { type KeySource, keySourceOf, readKey, sourceOf } from '../variables/read-key.ts'
import { gatewayIdOf } from './gateway-settings.ts'

/** What can be said of a gateway before anything is made for it. */
export type GatewayVerdict = {
  readonly accepted: Verdict
  readonly resolved: Verdict
  /** Everything its pods' template refers to is there. */
  readonly templateResolved: boolean
  readonly sources: readonly string[]
}

export function judgeGateway(snapshot: Snapshot): GatewayVerdict {
  const { gateway, sources } = snapshot
  const ofTemplate = templateKeys(gateway)
  const ofRouters = (gateway.spec.sharedEnv ?? []).flatMap(
    (entry) => keySourceOf(entry, gateway.metadata.namespace) ?? [],
  )
  const failures = (keys: readonly KeySource[]) =>
    keys.map((key) => readKey(key, sources)).filter((reading) => reading.kind === 'problem')
  const first = failures([...ofTemplate, ...ofRouters])[0]
  return {
    accepted: accept(snapshot),
    resolved: resolvedVerdict(first),
    templateResolved: failures(ofTemplate).length === 0,
    sources: [...ofTemplate, ...ofRouters].map(sourceOf),
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

function templateKeys({ metadata, spec }: LlmGateway): readonly KeySource[] {
  const { namespace } = metadata
  const ofEnv = (spec.env ?? []).flatMap((entry) => keySourceOf(entry, namespace) ?? [])
  const { tokenSecretRef } = spec.bus
  return tokenSecretRef === undefined ? ofEnv : [...ofEnv, { namespace, kind: 'Secret', reference: tokenSecretRef }]
}

function resolvedVerdict(failure: { readonly reason: string; readonly detail: string } | undefined): Verdict {
  if (failure === undefined) {
    return { status: 'True', reason: 'ResolvedRefs', message: 'Every reference is there.' }
  }
  const status = failure.reason === 'ReadFailed' ? 'Unknown' : 'False'
  return { status, reason: failure.reason, message: `${failure.detail}.` }
}

import { checkGlConfig } from '@llm-gateway/conf'
import { type LlmGateway, type LlmGatewayStatus, PAUSED_ANNOTATION } from '@llm-gateway/crds'
import type { Snapshot } from '../../model/snapshot.ts'
import { TEMPLATE_ENVIRONMENT } from '../objects/tls.ts'
import type { Verdict } from '../set-condition.ts'
import { unreadableVerdict } from '../unreadable.ts'
import { busAddress, gatewayIdOf } from './gateway-settings.ts'
import { invalidParameters } from './invalid-parameters.ts'

type Candidates = Pick<Snapshot, 'gateway' | 'otherGateways'>
type GatewayCandidate = Candidates & { readonly settings: object }
type Rule = (candidate: GatewayCandidate) => Verdict | undefined

/**
 * The first rule that objects decides. Unless it is the last rule, nothing is written for the gateway; its pods go on.
 */
const RULES: readonly Rule[] = [isBeingDeleted, isPaused, hasItsOwnId, hasItsOwnBus, hasValidParameters, isReadable]

/**
 * Judges whether this operator looks after a gateway. Name conflicts of its objects show only when they are written.
 */
export function acceptGateway(candidate: GatewayCandidate): Verdict {
  for (const rule of RULES) {
    const verdict = rule(candidate)
    if (verdict !== undefined) return verdict
  }
  return { status: 'True', reason: 'Accepted', message: 'This operator looks after this LLMGateway.' }
}

/** What a gateway has for itself alone: its id, and its external bus and prefix. Unset: another gateway has it. */
export type GatewayClaims = Pick<LlmGatewayStatus, 'gatewayId' | 'bus'>

/** Returns the claims of a gateway, also of a paused one. The next verdicts find them in its status. */
export function claimsOf(candidates: Candidates): GatewayClaims {
  const { gateway } = candidates
  const hasBus = gateway.spec.bus.type === 'External' && holderOfBus(candidates) === undefined
  return {
    ...(holderOfId(candidates) === undefined ? { gatewayId: gatewayIdOf(gateway) } : {}),
    ...(hasBus ? { bus: busOf(gateway) } : {}),
  }
}

/** Returns whether the gateway's Routers and Processors are written and delivered. */
export function isServed({ status, reason }: Verdict): boolean {
  return status === 'True' || reason === 'Unreadable'
}

/** Kubernetes is collecting the gateway's objects. Objects that are made anew would block its deletion. */
function isBeingDeleted({ gateway }: GatewayCandidate): Verdict | undefined {
  if (gateway.metadata.deletionTimestamp === undefined) return undefined
  return { status: 'Unknown', reason: 'Pending', message: 'This LLMGateway is being deleted.' }
}

function isPaused({ gateway }: GatewayCandidate): Verdict | undefined {
  if (gateway.metadata.annotations[PAUSED_ANNOTATION] !== 'true') return undefined
  return {
    status: 'False',
    reason: 'Paused',
    message: 'This LLMGateway is paused: the operator changes none of its objects.',
  }
}

/** Ids of calls begin with the gateway's id. */
function hasItsOwnId(candidate: GatewayCandidate): Verdict | undefined {
  const other = holderOfId(candidate)
  return other && { status: 'False', reason: 'GatewayIdConflict', message: `${nameOf(other)} has this gatewayId.` }
}

/** Two gateways with one bus and one prefix would take each other's calls and records. */
function hasItsOwnBus(candidate: GatewayCandidate): Verdict | undefined {
  const other = holderOfBus(candidate)
  const message = other && `${nameOf(other)} uses this bus with this prefix.`
  return message === undefined ? undefined : { status: 'False', reason: 'BusConflict', message }
}

/**
 * Returns another gateway that has the id. An explicit id yields to an id that another gateway got from its uid, to an
 * explicit id that another gateway has already, and to an older one.
 */
function holderOfId({ gateway, otherGateways }: Candidates): LlmGateway | undefined {
  const { gatewayId } = gateway.spec
  if (gatewayId === '') return undefined
  const has = ({ status }: LlmGateway) => status.gatewayId === gatewayId
  return otherGateways.find(
    (other) => gatewayIdOf(other) === gatewayId && (other.spec.gatewayId === '' || isBefore(other, gateway, has)),
  )
}

/** Returns another gateway that has the external bus and prefix. */
function holderOfBus({ gateway, otherGateways }: Candidates): LlmGateway | undefined {
  if (gateway.spec.bus.type === 'Managed') return undefined
  const bus = busOf(gateway)
  const has = ({ status }: LlmGateway) => status.bus === bus
  return otherGateways.find(
    (other) => busOf(other) === bus && (other.spec.bus.type === 'Managed' || isBefore(other, gateway, has)),
  )
}

/**
 * Returns whether one gateway comes before another: it has the claim already, or neither or both have it and it is
 * older. The age alone would let an older gateway take the claim of a younger one by an edit.
 */
function isBefore(one: LlmGateway, other: LlmGateway, has: (gateway: LlmGateway) => boolean): boolean {
  return has(one) === has(other) ? ageKey(one) < ageKey(other) : has(one)
}

/** Refuses parameters that the schema accepts but with which no pod could serve. */
function hasValidParameters({ gateway, settings }: GatewayCandidate): Verdict | undefined {
  const named = invalidParameters(gateway)
  // The gateway's check would report the same faults under the names of its file, so it runs only without them.
  const faults = named.length > 0 ? named : invalidSettings(settings)
  if (faults.length === 0) return undefined
  return {
    status: 'False',
    reason: 'InvalidParameters',
    message: `These fields are not valid: ${faults.slice(0, 16).join(', ')}.`,
  }
}

/** The last rule, since an unreadable gateway goes on with the spec that was read before. */
function isReadable({ gateway }: GatewayCandidate): Verdict | undefined {
  return unreadableVerdict(gateway)
}

/** Returns the settings that the gateway's own check refuses, as a pod would. */
function invalidSettings(settings: object): readonly string[] {
  const file = Buffer.from(JSON.stringify({ ...settings, routers: [] }))
  const check = checkGlConfig(file, { environment: TEMPLATE_ENVIRONMENT })
  return check.kind === 'invalid' ? Object.keys(check.validationErrors) : []
}

function ageKey({ metadata }: LlmGateway): string {
  return `${metadata.creationTimestamp} ${metadata.namespace} ${metadata.name}`
}

function nameOf({ metadata }: LlmGateway): string {
  return `LLMGateway ${metadata.namespace}/${metadata.name}`
}

/** Returns the bus and prefix of a gateway as one text, which its status shows. */
function busOf(gateway: LlmGateway): string {
  return `${serverOf(gateway)} ${gateway.spec.bus.prefix}`
}

/** Returns host:port, the same for each spelling of a Service's name. */
function serverOf(gateway: LlmGateway): string {
  const [host = '', port = '4222'] = busAddress(gateway).toLowerCase().split(':')
  const service = host.replace(/\.svc(\.cluster\.local)?\.?$/, '')
  return `${service.includes('.') ? service : `${service}.${gateway.metadata.namespace}`}:${port}`
}

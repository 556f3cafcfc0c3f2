import type { LlmGateway, Processor } from '@llm-gateway/crds'
import { isStandIn } from '../unreadable.ts'
import { SHIPPED } from './shipped-processors.ts'

/** Key of its settings ConfigMap. */
export const SETTINGS_KEY = 'processor.json'

/** Names a Processor's Deployment, ServiceAccount, ConfigMap and PodDisruptionBudget, by the Processor's name alone. */
export function processorObjectName(processor: string): string {
  return `${processor}-processor`
}

/** Names the subject on which the gateway calls a Processor (docs/reference/bus.md#connection). */
export function processorSubject({ metadata, spec }: Processor, { spec: { bus } }: LlmGateway): string {
  const last = spec.type === 'Custom' ? `custom.${metadata.name}` : SHIPPED[spec.type].subject
  return `${bus.prefix}.gl.${last}`
}

/** The subject under which the live file has it: of a type that can't be read only its own status tells. */
export function liveSubject(processor: Processor, gateway: LlmGateway): string {
  const subject = processorSubject(processor, gateway)
  return isStandIn(processor) ? (processor.status.subject ?? subject) : subject
}

/** Its `name` in rows, and so in records. */
export function entryName({ metadata, spec }: Processor): string {
  return spec.type === 'Custom' ? metadata.name.replaceAll('-', '_') : SHIPPED[spec.type].entry
}

/** How the hashes of call points are told from those of routers, whose paths begin with a slash. */
export function callPointsKey(processor: string): string {
  return `Processor ${processor}`
}

import type { LlmGateway, Processor, ShippedType } from '@llm-gateway/crds'
import { isNeverRead } from '../unreadable.ts'

/** A shipped processor's names in the image. */
type ShippedProcessor = {
  /** Its `name` in gl_config.json and in the record. */
  readonly entry: string
  /** The last part of its subject (docs/reference/processors.md). */
  readonly subject: string
  /** Its folder below processors/. */
  readonly folder: string
  /** Its memory under load as measured, with threads and recordings. The resource may set another request. */
  readonly memory: string
}

export const SHIPPED: Readonly<Record<ShippedType, ShippedProcessor>> = {
  Tokenizer: { entry: 'tokenizer', subject: 'tokenizer', folder: 'tokenizer', memory: '192Mi' },
  Mock: { entry: 'mock', subject: 'mock', folder: 'mock', memory: '192Mi' },
  Regex: { entry: 'regex', subject: 'regex', folder: 'regex', memory: '128Mi' },
  Broker: { entry: 'broker', subject: 'broker', folder: 'broker', memory: '128Mi' },
  NlpEntities: { entry: 'nlp_entities', subject: 'nlpentities', folder: 'nlp-entities', memory: '320Mi' },
  ContentFilter: { entry: 'content_filter', subject: 'contentfilter', folder: 'content-filter', memory: '192Mi' },
  CharacterCount: { entry: 'character_count', subject: 'charactercount', folder: 'character-count', memory: '128Mi' },
  TokenCounter: { entry: 'token_counter', subject: 'tokencounter', folder: 'token-counter', memory: '256Mi' },
}

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

/**
 * Returns the subject that the live file has. Where the type can't be read, only the Processor's status tells the
 * subject.
 */
export function liveSubject(processor: Processor, gateway: LlmGateway): string {
  const subject = processorSubject(processor, gateway)
  return isNeverRead(processor) ? (processor.status.subject ?? subject) : subject
}

/** Returns a Processor's `name` in rows, and so in records. */
export function entryName({ metadata, spec }: Processor): string {
  return spec.type === 'Custom' ? metadata.name.replaceAll('-', '_') : SHIPPED[spec.type].entry
}

/** Returns the key of a Processor's call points among the hashes of routers, whose paths begin with a slash. */
export function callPointsKey(processor: string): string {
  return `Processor ${processor}`
}

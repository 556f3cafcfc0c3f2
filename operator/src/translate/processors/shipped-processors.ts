import type { ShippedType } from '@llm-gateway/crds'

/** What the image knows a shipped processor by. */
export type ShippedProcessor = {
  /** Its `name` in gl_config.json and in the record. */
  readonly entry: string
  /** The last part of its subject (docs/reference/processors.md). */
  readonly subject: string
  /** Its folder below processors/. */
  readonly folder: string
  /** What it was seen to hold under load, its threads and recordings included; the resource may say otherwise. */
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

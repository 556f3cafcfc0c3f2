import type { LlmGateway, Processor } from '@llm-gateway/crds'
import { fileText } from '../objects/sinks/file-text.ts'
import { configFault } from './custom-config.ts'
import { knownPools } from './named-routers.ts'

/**
 * Returns the settings file of a Processor as its program's README describes it: the resource's fields in snake case,
 * each `${NAME}` left to the program. The settings of a Custom Processor stay as written.
 */
export function processorSettings(processor: Processor, gateway: LlmGateway, known: ReadonlySet<string>): object {
  const { spec } = processor
  switch (spec.type) {
    case 'Custom':
      // A Processor that is refused for its config keeps its previous file: the empty settings are never written.
      return configFault(spec.custom?.config) === undefined ? (spec.custom?.config ?? {}) : {}
    case 'Broker':
      return {
        pools: knownPools(processor, known),
        ...withoutUndefined({ disabled_time_minutes: spec.broker?.disabledMinutes }),
      }
    case 'Mock':
      return { ...settings(spec.mock), session_header: gateway.spec.session.header }
    case 'TokenCounter':
      // Without `tokenCaps` the program's default would cap a path of the shipped example.
      return settings({ tokenCaps: [], ...spec.tokenCounter })
    case 'Tokenizer':
      return settings(spec.tokenizer)
    case 'Regex':
      return settings(spec.regex)
    case 'NlpEntities':
      return settings(spec.nlpEntities)
    case 'ContentFilter':
      return settings(spec.contentFilter)
    case 'CharacterCount':
      return {}
    default:
      return spec.type satisfies never
  }
}

/** Maps whose keys are people's own words: header names, a model's labels. */
const AS_WRITTEN: ReadonlySet<string> = new Set(['headers', 'labels', 'categories'])

function settings(section: object = {}): object {
  return Object.fromEntries(
    Object.entries(section)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => [snakeCase(key), AS_WRITTEN.has(key) ? texts(value) : deep(value)]),
  )
}

/** Keeps the keys as written. */
function texts(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return deep(value)
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, deep(member)]))
}

function deep(value: unknown): unknown {
  if (typeof value === 'string') return fileText(value)
  if (Array.isArray(value)) return value.map(deep)
  return typeof value === 'object' && value !== null ? settings(value) : value
}

function snakeCase(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function withoutUndefined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

import { isJsonObject } from '@llm-gateway/protocol'
import type { TokenCounts } from './usage.ts'

/** The value that a thread returns for a large message. */
export type LargeReading = {
  readonly phase: 'request' | 'response'
  readonly fields: ReadonlyMap<string, unknown>
  /** The usage reported by the answer. */
  readonly usage?: TokenCounts | undefined
  /** The text whose tokens are to be estimated. */
  readonly text?: CountedText | undefined
}

/** The beginning of a text and the length of the whole text. */
export type CountedText = { readonly beginning: string; readonly length: number }

export function largeReading(value: unknown): LargeReading {
  if (!isJsonObject(value) || !(value.fields instanceof Map)) return { phase: 'request', fields: new Map() }
  const { phase, fields, usage, text } = value
  return {
    phase: phase === 'response' ? phase : 'request',
    fields,
    usage: usage instanceof Map ? usage : undefined,
    text: textOf(text),
  }
}

function textOf(text: unknown): CountedText | undefined {
  if (!isJsonObject(text)) return undefined
  const { beginning, length } = text
  return typeof beginning === 'string' && typeof length === 'number' ? { beginning, length } : undefined
}

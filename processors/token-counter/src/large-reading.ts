import { isJsonObject } from '@llm-gateway/protocol'
import type { TokenCounts } from './usage.ts'

/** What a thread says of a large message; a request has no text. */
export type LargeReading = {
  readonly fields: ReadonlyMap<string, unknown>
  /** The usage that the answer tells. */
  readonly usage?: TokenCounts | undefined
  readonly text?: { readonly beginning: string; readonly length: number } | undefined
}

export function largeReading(value: unknown): LargeReading {
  if (!isJsonObject(value) || !(value.fields instanceof Map)) return { fields: new Map() }
  const { fields, usage, text } = value
  return { fields, usage: usage instanceof Map ? usage : undefined, text: textOf(text) }
}

function textOf(text: unknown): LargeReading['text'] {
  if (!isJsonObject(text)) return undefined
  const { beginning, length } = text
  return typeof beginning === 'string' && typeof length === 'number' ? { beginning, length } : undefined
}

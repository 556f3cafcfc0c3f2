import type { TokenUsage } from '@llm-gateway/protocol'
import type { JsonObject } from './json-object.ts'
import type { JsonParts } from './json-parts.ts'

export type AssembledMessage = { readonly json: JsonParts; readonly usage: TokenUsage | undefined }

/** A message that is being assembled: one kind of stream each. */
export type Assembly = {
  /** True once the events can be of no other kind. */
  readonly isSure: boolean
  /** Whether the last event of the message was the last that was taken. */
  readonly hasEnded: boolean
  /** Takes the data of one event; false when it isn't of this kind (nothing was taken). */
  take(data: JsonObject): boolean
  /** The message as far as it came; undefined when what was taken turned out to be something else. */
  finish(): AssembledMessage | undefined
}

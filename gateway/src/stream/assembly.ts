import type { TokenUsage } from '@llm-gateway/protocol'
import type { JsonObject } from './json-object.ts'
import type { JsonParts } from './json-parts.ts'

export type AssembledMessage = { readonly json: JsonParts; readonly usage: TokenUsage | undefined }

/** A message being assembled from one kind of stream. */
export type Assembly = {
  /** True once the events can't be of another kind. */
  readonly isRecognized: boolean
  /** True after the message's last event. */
  readonly hasEnded: boolean
  /** Takes the data of one event; returns false, without taking anything, where the event is of another kind. */
  take(data: JsonObject): boolean
  /** Returns the message so far; undefined where the events turned out to be of another kind. */
  finish(): AssembledMessage | undefined
}

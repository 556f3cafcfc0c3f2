import type { JsonObject } from './json-object.ts'

/** A message in the making: one kind of stream each. */
export type Assembly = {
  /** Takes the data of one event; false when it isn't of this kind (nothing was taken). */
  take(data: JsonObject): boolean
  /** The message as far as it came; undefined when what was taken turned out to be something else. */
  finish(): JsonObject | undefined
}

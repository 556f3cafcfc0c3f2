import type { CallMemory } from '../memory/memory-account.ts'
import type { Slice } from '../work/work-queue.ts'

/** A field's value in a reply: JSON without white space outside strings, or nested too deep to be read. */
export type ReplyValue =
  | {
      readonly kind: 'json'
      readonly json: Buffer
      /** The number of values in the JSON, itself included. */
      readonly values: number
    }
  | { readonly kind: 'too deep' }

export type JsonValue = Extract<ReplyValue, { kind: 'json' }>

/** The fields of a reply that its processor may write, in the reply's order. */
export type ReplyFields = ReadonlyMap<string, ReplyValue>

/** A field's value for its effect, with the other fields of the reply and the slices of the merge. */
export type FieldWrite = { readonly value: JsonValue; readonly fields: ReplyFields; readonly slice: Slice }

/** The size up to which a value is parsed: parsing takes the main thread's time. */
type ParseBound = { readonly bytes: number; readonly values: number }

/** The bound of a single value, such as a path or a status. */
export const SINGLE_VALUE: ParseBound = { bytes: 16_384, values: 10_000 }
/** The bound of headers and query parameters, a map of lists. */
const VALUE_MAP: ParseBound = { bytes: 262_144, values: 10_000 }
/** The memory of a header or parameter beside its text: names, lists and map entries are objects. */
const MAP_VALUE_BYTES = 256

/**
 * Parses a map of headers or query parameters and counts its memory until the call ends; returns undefined where the map
 * exceeds its bound or finds no room.
 */
export function parseMap(value: JsonValue, memory: CallMemory): unknown {
  const parsed = parseWithin(value, VALUE_MAP)
  return parsed !== undefined && memory.take(value.values * MAP_VALUE_BYTES) ? parsed : undefined
}

/** Parses a value; returns undefined, which no JSON text stands for, where the value exceeds its bound. */
export function parseWithin({ json, values }: JsonValue, bound: ParseBound): unknown {
  return json.length > bound.bytes || values > bound.values ? undefined : JSON.parse(json.toString())
}

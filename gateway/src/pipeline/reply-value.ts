import type { Slice } from '../work/work-queue.ts'

/** The value of a field that a processor wrote: its JSON without white space outside strings, or nested too deep to be read. */
export type ReplyValue =
  | {
      readonly kind: 'json'
      readonly json: Buffer
      /** How many values are in it, itself included. */
      readonly values: number
    }
  | { readonly kind: 'too deep' }

export type JsonValue = Extract<ReplyValue, { kind: 'json' }>

/** The fields of a reply that its processor may write, in the order they came. */
export type ReplyFields = ReadonlyMap<string, ReplyValue>

/** One field as its effect gets it, the reply it came with, and the slices of the merge. */
export type Written = { readonly value: JsonValue; readonly fields: ReplyFields; readonly slice: Slice }

/** How much of a value is parsed: making values costs the main thread's time. */
type Bound = { readonly bytes: number; readonly values: number }

/** For a path, a status: anything that is one value. */
export const ONE_VALUE: Bound = { bytes: 16_384, values: 10_000 }
/** For headers and query parameters: a map of lists. */
export const MAP: Bound = { bytes: 262_144, values: 10_000 }

/** The result of JSON.parse; undefined, which no JSON text has as its value, where it is larger than its bound. */
export function parseWithin({ json, values }: JsonValue, bound: Bound): unknown {
  return json.length > bound.bytes || values > bound.values ? undefined : JSON.parse(json.toString())
}

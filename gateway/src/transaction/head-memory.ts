import type { Route } from '../config/runtime-config.ts'
import { HEAD_CHARACTER_BYTES, HEAD_PART_BYTES, USUAL_HEAD_BYTES } from '../memory/head-bytes.ts'

/** The bytes of memory of a query parameter, beside its characters. */
const PARAMETER_BYTES = 112

type Head = {
  readonly call: { readonly target: string; readonly rawHeaders: readonly string[] }
  /** The texts of the route are parts of the outbound head. */
  readonly route: Pick<Route, 'characters'>
}

/**
 * Returns the number of steps that a turn counts for a call whose head takes `headBytes`: to parse the query and to make
 * the fields of 11,000 parameters takes 6 ms.
 */
export function headSteps(headBytes: number): number {
  return 1 + Math.floor(headBytes / USUAL_HEAD_BYTES)
}

/**
 * Returns the bytes of memory that a call's head takes while the call runs; 0 for a usual head. A head of few characters
 * is large, too, if it has thousands of lines or parameters, since each of them is an object in several lists.
 */
export function headMemory({ call: { target, rawHeaders }, route }: Head): number {
  let characters = target.length + route.characters
  for (const text of rawHeaders) characters += text.length
  const parts = parametersOf(target) * PARAMETER_BYTES + rawHeaders.length * HEAD_PART_BYTES
  const bytes = characters * HEAD_CHARACTER_BYTES + parts
  return bytes > USUAL_HEAD_BYTES ? bytes : 0
}

function parametersOf(target: string): number {
  let count = 1
  for (let at = target.indexOf('&'); at !== -1; at = target.indexOf('&', at + 1)) count += 1
  return count
}

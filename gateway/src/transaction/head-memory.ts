import type { Route } from '../config/runtime-config.ts'
import type { Call } from './transaction.ts'

/** The most characters of a usual head; a call needs memory for so many anyway. */
const USUAL_CHARACTERS = 8 * 1024
/** The bytes of memory of a character, which is in several texts, of a query parameter, and of a header's name or value. */
const CHARACTER_BYTES = 2
const PARAMETER_BYTES = 112
const LINE_PART_BYTES = 160

type Head = {
  readonly call: Pick<Call, 'target' | 'rawHeaders'>
  /** The texts of the route are parts of the outbound head. */
  readonly route: Pick<Route, 'characters'>
}

/** Returns true for a head that takes memory beside the call's own, and milliseconds where its record is made. */
export function isLargeHead(head: Head): boolean {
  return characters(head) > USUAL_CHARACTERS
}

/** Returns the bytes of memory that a call's head takes while the call runs; 0 for a usual head. */
export function headMemory(head: Head): number {
  if (!isLargeHead(head)) return 0
  const { target, rawHeaders } = head.call
  const parameters = target.split('&').length
  return characters(head) * CHARACTER_BYTES + parameters * PARAMETER_BYTES + rawHeaders.length * LINE_PART_BYTES
}

function characters({ call: { target, rawHeaders }, route }: Head): number {
  let count = target.length + route.characters
  for (const text of rawHeaders) count += text.length
  return count
}

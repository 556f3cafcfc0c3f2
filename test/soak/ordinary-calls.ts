import type { Random } from '../operator/random.ts'
import { KIB, namedChat } from '../watchdog/bodies.ts'
import { type CallOptions, makeCall } from '../watchdog/make-call.ts'

export type OrdinaryCallCounts = {
  readonly calls: number
  /** Number of calls with 200 and a complete answer. */
  readonly answered: number
}

const LARGEST = 200 * KIB

/** Sends chat requests of random sizes, each on a new connection and named by the tag. */
export async function ordinaryCalls(
  port: number,
  tag: string,
  { random, goesOn }: { readonly random: Random; readonly goesOn: () => boolean },
): Promise<OrdinaryCallCounts> {
  let calls = 0
  let answered = 0
  while (goesOn()) {
    calls += 1
    const call: CallOptions = { port, path: '/neighbour/ordinary', body: namedChat(tag, calls, random.below(LARGEST)) }
    const { status, complete } = await makeCall(call)
    if (status === 200 && complete) answered += 1
  }
  return { calls, answered }
}

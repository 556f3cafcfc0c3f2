import type { Socket } from 'node:net'
import type { AttackTools } from './attack.ts'
import { KIB, namedChat, SMALL_ANSWER } from './bodies.ts'

/** The time for the calls to arrive; after it those that are here are answered. */
const ARRIVE_MS = 10_000

export type AnsweredCalls = {
  /** The calls that were answered with 200. */
  readonly answered: number
  /** The connections to the LLM API. */
  readonly sockets: ReadonlySet<Socket>
}

/** Makes calls that the hostile LLM API answers at one moment, so that each has a connection of its own. */
export async function answerTogether(tools: AttackTools, calls: number): Promise<AnsweredCalls> {
  const sockets = new Set<Socket>()
  const arrived = Promise.withResolvers<void>()
  const scripted = tools.answer(async ({ socket, write }) => {
    if (sockets.add(socket).size === calls) arrived.resolve()
    await Promise.race([arrived.promise, tools.pause(ARRIVE_MS)])
    await write(SMALL_ANSWER)
  })
  const ask = { port: tools.gateway.port, path: tools.path('/hostile/'), timeoutMs: 30_000 }
  const bodies = Array.from({ length: calls }, (_, index) => namedChat(tools.tag, index + 1, KIB))
  const outcomes = await Promise.all(bodies.map((body) => tools.call({ ...ask, body })))
  scripted.end()
  return { answered: outcomes.filter(({ status }) => status === 200).length, sockets }
}

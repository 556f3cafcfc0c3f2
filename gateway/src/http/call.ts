import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Call } from '../transaction/transaction.ts'
import type { BodyBudget } from './body-budget.ts'
import { createCallerSignal } from './caller-signal.ts'
import { admitBody, announcesBody, drainBody, readBody } from './read-body.ts'
import { createReply } from './reply.ts'

export type CallOptions = {
  readonly budget: BodyBudget
  /** True while the server stops: answers then close their connections. */
  readonly draining: () => boolean
}

/** One request of node's HTTP server as the request path sees it. `target` is the request target as it came. */
export function createCall(
  target: string,
  request: IncomingMessage,
  response: ServerResponse,
  options: CallOptions,
): Call {
  let closes = false
  return {
    method: request.method ?? 'GET',
    target,
    rawHeaders: request.rawHeaders,
    hasBody: announcesBody(request),
    signal: createCallerSignal(response),
    admitBody: (limits, held) => admitBody(request, { ...limits, budget: options.budget }, held),
    readBody(limits, held) {
      // The expectation is answered here, once it is certain that the body is wanted (wire, 5).
      if (request.headers.expect !== undefined) response.writeContinue()
      return readBody(request, { ...limits, budget: options.budget }, held)
    },
    refuseBody() {
      if (announcesBody(request) && !drainBody(request)) closes = true
    },
    createReply: (session, stallTimeoutMs) =>
      createReply(response, { session, closes: () => closes || options.draining(), stallTimeoutMs }),
  }
}

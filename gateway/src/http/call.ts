import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Call } from '../transaction/transaction.ts'
import type { BodyBudget } from './body-budget.ts'
import { CallerSignal } from './caller-signal.ts'
import { admitBody, announcesBody, drainBody, readBody } from './read-body.ts'
import { createReply } from './reply.ts'

export type CallOptions = {
  readonly budget: BodyBudget
  /** True while the server stops: answers then close their connections. */
  readonly draining: () => boolean
  /** Connections whose last answer is decided: what comes behind it on them is no call (RFC 9112, 9.6). */
  readonly closing: WeakSet<Socket>
}

/** One request of node's HTTP server as the request path sees it. `target` is the request target as it came. */
export function createCall(
  target: string,
  request: IncomingMessage,
  response: ServerResponse,
  options: CallOptions,
): Call {
  let closes = false
  const close = (): void => {
    closes = true
    options.closing.add(request.socket)
  }
  return {
    method: request.method ?? 'GET',
    target,
    rawHeaders: request.rawHeaders,
    hasBody: announcesBody(request),
    namesHost: namesHost(request),
    signal: new CallerSignal(response),
    admitBody: (limits, held) => admitBody(request, { ...limits, budget: options.budget }, held),
    async readBody(limits, held) {
      // The expectation is answered here, once it is certain that the body is wanted (wire, 5).
      if (expectsContinue(request)) response.writeContinue()
      const body = await readBody(request, { ...limits, budget: options.budget }, held)
      // What is left of a body that didn't come in time must not hold the connection (RFC 9110, 15.5.9).
      if (body.kind === 'refused' && body.code === 'REQUEST_TIMEOUT') close()
      return body
    },
    refuseBody() {
      if (announcesBody(request) && !drainBody(request)) close()
    },
    createReply: (session, stallTimeoutMs) =>
      createReply(response, { session, closes: () => closes || options.draining(), stallTimeoutMs }),
  }
}

/** RFC 9110, 10.1.1: an expectation of HTTP/1.0 is ignored, and so is one that nobody knows. */
function expectsContinue({ headers, httpVersion }: IncomingMessage): boolean {
  return headers.expect !== undefined && httpVersion === '1.1' && /^100-continue$/i.test(headers.expect)
}

/** RFC 9112, 3.2: HTTP/1.1 carries exactly one Host; with more, two servers on the way may see two targets. */
function namesHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  return hosts === 1 || (hosts === 0 && httpVersion === '1.0')
}

import { DEADLINE_HEADER, ROUTER_HEADER } from '@llm-gateway/protocol'
import { headers, type MsgHdrs } from 'nats'

/** The size of the headers without the router's path; Unix milliseconds have 13 digits until the year 2286. */
const BYTES_WITHOUT_PATH = `NATS/1.0\r\n${DEADLINE_HEADER}: 1763690400123\r\n${ROUTER_HEADER}: \r\n\r\n`.length

/** Returns the size of a message's headers; a router's path is ASCII. */
export function callHeaderBytes(router: string): number {
  return BYTES_WITHOUT_PATH + router.length
}

/**
 * The headers that tell a processor how long the gateway waits for the reply, and for which router
 * (docs/reference/bus.md#request). One object serves all messages: the library copies the headers from it, and only a
 * value that differs from the last message's is set again.
 */
export class CallHeaders {
  readonly #headers = headers()
  #deadline = -1
  #router = ''

  /** Returns the headers, valid until the next call; `deadline` in Unix milliseconds. */
  of(deadline: number, router: string): MsgHdrs {
    if (deadline !== this.#deadline) {
      this.#deadline = deadline
      this.#headers.set(DEADLINE_HEADER, String(Math.trunc(deadline)))
    }
    if (router !== this.#router) {
      this.#router = router
      this.#headers.set(ROUTER_HEADER, router)
    }
    return this.#headers
  }
}

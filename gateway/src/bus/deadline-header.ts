import { DEADLINE_HEADER } from '@llm-gateway/protocol'
import { headers, type MsgHdrs } from 'nats'

/** The size of the header block; Unix milliseconds have 13 digits until the year 2286. */
export const DEADLINE_HEADER_BYTES = `NATS/1.0\r\n${DEADLINE_HEADER}: 1763690400123\r\n\r\n`.length

/**
 * The header that tells a processor how long the gateway waits for the reply (docs/reference/bus.md#request). One
 * object serves all messages: the library copies the header from it, and messages of the same millisecond share the
 * text.
 */
export class DeadlineHeader {
  readonly #header = headers()
  #deadline = -1

  /** Returns the header, valid until the next call; `deadline` in Unix milliseconds. */
  at(deadline: number): MsgHdrs {
    if (deadline === this.#deadline) return this.#header
    this.#deadline = deadline
    this.#header.set(DEADLINE_HEADER, String(Math.trunc(deadline)))
    return this.#header
  }
}

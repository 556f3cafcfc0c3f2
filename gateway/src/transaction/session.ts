import { randomInt } from 'node:crypto'
import { type Clock, unixNanoseconds } from '../clock.ts'

/** A transaction's two ids, `<gateway_id>_<unix ns>_<counter>_<n>` (docs/reference/sessions.md#ids). */
export type CallIds = { readonly sessionId: string; readonly transactionId: string }

export type IdSource = {
  /** Returns a call's ids; `inbound` holds the values of the caller's session header. */
  next(gatewayId: string, inbound: readonly string[] | undefined): CallIds
}

const idPattern = /^([A-Z0-9]+_\d+_\d+_)(\d+)$/
const idLimit = 128

/**
 * Creates the source of ids. A call with a valid session header joins that session with n + 1, so that two calls with
 * the same header get the same transaction id. Any other header value begins a session
 * (docs/reference/sessions.md#header).
 */
export function createIdSource(clock: Clock): IdSource {
  // A random start keeps apart the ids of replicas that share a gateway_id and a nanosecond.
  let counter = randomInt(2 ** 32)
  return {
    next(gatewayId, inbound) {
      const joined = inbound?.length === 1 ? joinSession(inbound[0] ?? '') : undefined
      if (joined !== undefined) return joined
      counter += 1
      const sessionId = `${gatewayId}_${unixNanoseconds(clock.now())}_${counter}_0`
      return { sessionId, transactionId: sessionId }
    },
  }
}

function joinSession(inbound: string): CallIds | undefined {
  if (inbound.length > idLimit) return undefined
  const parts = idPattern.exec(inbound)
  if (parts === null) return undefined
  const [, prefix, n] = parts
  return { sessionId: `${prefix}0`, transactionId: `${prefix}${BigInt(n ?? '0') + 1n}` }
}

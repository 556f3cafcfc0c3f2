import { type Instant, rfc3339 } from './clock.ts'
import type { LastTransaction } from './transaction/transaction.ts'

/** Answers the isalive subject with what the gateway last did (wire, 2). */
export type Isalive = LastTransaction & { answer(): Uint8Array }

export function createIsalive(): Isalive {
  let last: { id: string; at: Instant } | undefined
  let lastError: { type: string; at: Instant } | undefined
  return {
    note(id, at, errorType) {
      last = { id, at }
      if (errorType !== '') lastError = { type: errorType, at }
    },
    answer() {
      const body = {
        LastTransactionID: last?.id ?? '',
        LastIngressTime: last === undefined ? '' : rfc3339(last.at),
        LastError: lastError?.type ?? '',
        LastErrorTime: lastError === undefined ? '' : rfc3339(lastError.at),
      }
      return Buffer.from(JSON.stringify({ Status: 200, Body: body, Error: null }))
    },
  }
}

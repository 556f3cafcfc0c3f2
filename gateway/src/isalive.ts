import type { Instant } from './clock.ts'
import type { LastTransaction } from './transaction/transaction.ts'

/** Answers on the isalive subject with the last transaction and the last error (docs/reference/bus.md#alive). */
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
        LastIngressTime: last === undefined ? '' : last.at.rfc3339,
        LastError: lastError?.type ?? '',
        LastErrorTime: lastError === undefined ? '' : lastError.at.rfc3339,
      }
      return Buffer.from(JSON.stringify({ Status: 200, Body: body, Error: null }))
    },
  }
}

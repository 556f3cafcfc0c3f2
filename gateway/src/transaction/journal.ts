import type { RecordText } from '../bus/record-message.ts'
import { logFault } from './log-fault.ts'
import { encodeRecord } from './record.ts'
import type { Gateway, Transaction } from './transaction.ts'

/**
 * Writes the record as it is now to disk, where records are journalled; undefined where they aren't. To be called before the
 * answer's last byte leaves, with the answer's payload taken. Never rejects.
 */
export function journal(transaction: Transaction, gateway: Gateway): Promise<void> | undefined {
  const { records } = gateway
  const { request, response } = transaction
  if (records?.journals !== true || !transaction.isKept || transaction.ticket !== undefined) return undefined
  if (request === undefined || response === undefined) return undefined
  try {
    return records.journal(incompleteRecord(transaction, gateway)).then((ticket) => {
      transaction.ticket = ticket
    })
  } catch (error) {
    // The record that follows the answer may still be made.
    logFault(transaction, error, gateway)
    return undefined
  }
}

/** What isn't known before the answer has left is missing: async rows, error_type, the last times. */
function incompleteRecord(transaction: Transaction, gateway: Gateway): RecordText {
  const sides = [transaction.request, transaction.response]
  const fields = sides.map((side) => side?.fields)
  // Async rows are not to see what only the record shows.
  const before = fields.map((map) => [...(map ?? [])])
  const { parts, cut } = encodeRecord(transaction, '', gateway.clock.now())
  for (const [index, map] of fields.entries()) {
    map?.clear()
    for (const [name, text] of before[index] ?? []) map?.set(name, text)
  }
  return { parts: [...parts, ',"incomplete":true'], cut }
}

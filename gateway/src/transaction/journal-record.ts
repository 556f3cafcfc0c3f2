import type { RecordText } from '../bus/record-message.ts'
import type { RecordPublisher } from '../bus/record-publisher.ts'
import { logFault } from './log-fault.ts'
import { encodeRecord } from './record.ts'
import type { Gateway, Transaction } from './transaction.ts'

/**
 * Writes the record to disk where records are journalled; returns undefined elsewhere. Must be called after the payload
 * was taken and before the answer's last byte leaves. The promise never rejects.
 */
export function journalRecord(transaction: Transaction, gateway: Gateway): Promise<void> | undefined {
  const { records } = gateway
  const { request, response } = transaction
  if (records?.journals !== true || !transaction.foundRecordRoom || transaction.ticket !== undefined) return undefined
  if (request === undefined || response === undefined) return undefined
  if (transaction.headBytes === 0) return write(transaction, records, gateway)
  // Hundreds of calls with large heads may fail at one moment, and each record takes milliseconds.
  return gateway.work.turn(transaction.route.path).then(() => write(transaction, records, gateway))
}

function write(transaction: Transaction, records: RecordPublisher, gateway: Gateway): Promise<void> | undefined {
  try {
    return records.journal(incompleteRecord(transaction, gateway)).then((ticket) => {
      transaction.ticket = ticket
      // Hundreds of calls wait for the same write, and each sends its answer and makes its record behind it.
      return gateway.callTurns.take(transaction.route.path)
    })
  } catch (error) {
    // Making the final record, after the answer, may still succeed.
    logFault(transaction, error, gateway)
    return undefined
  }
}

/** Returns the record without the parts known only after the answer: async rows, error_type and the last times. */
function incompleteRecord(transaction: Transaction, gateway: Gateway): RecordText {
  const sides = [transaction.request, transaction.response]
  const fields = sides.map((side) => side?.fields)
  // The fields are restored, since async rows must not see the fields that only the record has.
  const before = fields.map((map) => [...(map ?? [])])
  const { router, parts, cut } = encodeRecord(transaction, '', gateway.clock.now())
  for (const [index, map] of fields.entries()) {
    map?.clear()
    for (const [name, text] of before[index] ?? []) map?.set(name, text)
  }
  return { router, parts: [...parts, ',"incomplete":true'], cut }
}

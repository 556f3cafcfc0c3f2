import { callsOf } from '@llm-gateway/conf/failure'
import type { Gateway, Transaction } from './transaction.ts'

/** Logs a bug by its name and place only: an error's message may hold payload. */
export function logFault(transaction: Transaction, error: unknown, { logger }: Pick<Gateway, 'logger'>): void {
  const { transactionId } = transaction.ids
  logger.error({ transaction_id: transactionId, name: errorName(error), at: stackTop(error) }, 'transaction failed')
}

export function errorName(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown'
}

/** Returns the innermost three calls of an error's stack. */
export function stackTop(error: unknown): readonly string[] | undefined {
  if (!(error instanceof Error)) return undefined
  return callsOf(error)
    .slice(0, 3)
    .map((line) => line.trim())
}

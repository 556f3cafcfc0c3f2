import type { Gateway, Transaction } from './transaction.ts'

/** Tells of a bug by its name and place only: what an error says may hold payload. */
export function logFault(transaction: Transaction, error: unknown, { logger }: Pick<Gateway, 'logger'>): void {
  const name = error instanceof Error ? error.name : 'unknown'
  const lines = error instanceof Error ? error.stack?.split('\n').slice(1, 4) : undefined
  const at = lines?.map((line) => line.trim())
  logger.error({ transaction_id: transaction.ids.transactionId, name, at }, 'transaction failed')
}

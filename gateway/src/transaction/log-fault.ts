import type { Gateway, Transaction } from './transaction.ts'

/** Logs a bug by its name and place only: an error's message may hold payload. */
export function logFault(transaction: Transaction, error: unknown, { logger }: Pick<Gateway, 'logger'>): void {
  const { transactionId } = transaction.ids
  logger.error({ transaction_id: transactionId, name: errorName(error), at: stackTop(error) }, 'transaction failed')
}

export function errorName(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown'
}

/**
 * Returns the innermost three calls of an error's stack. The stack begins with the message, whose lines are left out: a
 * message may quote a payload with line ends.
 */
export function stackTop(error: unknown): readonly string[] | undefined {
  if (!(error instanceof Error) || error.stack === undefined) return undefined
  const { message, stack } = error
  const start = stack.indexOf(message)
  const calls = start < 0 ? stack : stack.slice(start + message.length)
  const lines = calls.split('\n').filter((line) => line.startsWith(CALL))
  return lines.slice(0, 3).map((line) => line.trim())
}

const CALL = '    at '

import type { Side } from './side.ts'

/**
 * Writes the outcomes of the processors into the fields, for later rows and the record
 * (docs/reference/record.md#shared-forms).
 */
export function showAccount({ fields, processors, processorsAsync, errors }: Side): void {
  if (processors.length > 0) fields.set('processors', `[${processors.join(',')}]`)
  if (processorsAsync.length > 0) fields.set('processors_async', `[${processorsAsync.join(',')}]`)
  if (errors.length > 0) fields.set('error', JSON.stringify(errors))
}

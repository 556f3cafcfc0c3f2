import type { Side } from './side.ts'

/** Puts into the fields what became of the processors so far, as a later row and the record see it (wire, 2 and 3). */
export function showAccount({ fields, processors, processorsAsync, errors }: Side): void {
  if (processors.length > 0) fields.set('processors', `[${processors.join(',')}]`)
  if (processorsAsync.length > 0) fields.set('processors_async', `[${processorsAsync.join(',')}]`)
  if (errors.length > 0) fields.set('error', JSON.stringify(errors))
}

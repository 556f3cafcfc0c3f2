import type { RowProcessor } from '../config/runtime-config.ts'
import type { CallMemory } from '../memory/memory-account.ts'
import type { JsonText } from '../transaction/payload.ts'
import type { Fields } from './fields.ts'
import type { FieldWrite } from './reply-value.ts'

/** The effect of a value that a processor wrote. */
export type WriteResult =
  | { readonly kind: 'taken'; readonly json: JsonText }
  | { readonly kind: 'ignored'; readonly error?: string }

/** Checks a written value, applies it and returns the field's new text. */
export type WriteEffect = (written: FieldWrite, processor: RowProcessor) => WriteResult | Promise<WriteResult>

/**
 * The request or response object of a transaction while processors work on it, the only mutable state of the pipeline.
 */
export type Side = {
  readonly phase: 'request' | 'response'
  /** The deepest nesting of values that a processor may write. */
  readonly jsonDepth: number
  /** Counts messages on their way, and replies. */
  readonly memory: CallMemory
  /** The steps that a turn counts for the merge of replies: fields of a long head take milliseconds to make again. */
  readonly turnSteps: number
  readonly fields: Fields
  readonly effects: ReadonlyMap<string, WriteEffect>
  /** The entries of the record's `processors`, each as JSON. */
  readonly processors: string[]
  /** The entries of the record's `processors_async`, each as JSON. */
  readonly processorsAsync: string[]
  readonly errors: ErrorEntry[]
  /** A processor's `control`, which ends the sync rows; only on the request side. */
  control: { readonly json: Buffer } | undefined
}

export type ErrorEntry = { readonly name: string; readonly details: string }

/**
 * Writes the processors' outcomes into the fields, for later rows and the record
 * (docs/reference/record.md#shared-forms).
 */
export function writeOutcomeFields({ fields, processors, processorsAsync, errors }: Side): void {
  if (processors.length > 0) fields.set('processors', `[${processors.join(',')}]`)
  if (processorsAsync.length > 0) fields.set('processors_async', `[${processorsAsync.join(',')}]`)
  if (errors.length > 0) fields.set('error', JSON.stringify(errors))
}

import type { Member } from '../config/runtime-config.ts'
import type { Holding } from '../memory/memory-account.ts'
import type { JsonText } from '../transaction/payload.ts'
import type { Fields } from './fields.ts'
import type { Written } from './reply-value.ts'

/** The effect of a value that a processor wrote. */
export type Effect =
  | { readonly kind: 'taken'; readonly json: JsonText }
  | { readonly kind: 'ignored'; readonly error?: string }

/** A field whose value does something: checks it, does it, and says what the field holds then. */
export type WriteEffect = (written: Written, member: Member) => Effect | Promise<Effect>

/**
 * The request or the response object of one transaction while processors work on it: the one mutable thing of the
 * pipeline. Lists hold finished JSON.
 */
export type Side = {
  readonly phase: 'request' | 'response'
  /** A processor may write values nested as deep as this. */
  readonly jsonDepth: number
  /** The part of the account that the call holds: messages while they are under way, and replies. */
  readonly holding: Holding
  readonly fields: Fields
  readonly effects: ReadonlyMap<string, WriteEffect>
  readonly processors: string[]
  readonly processorsAsync: string[]
  readonly errors: SideError[]
  /** Set once a processor's `control` was taken: it ends the sync rows; only on the request side. */
  control: { readonly json: Buffer } | undefined
}

export type SideError = { readonly name: string; readonly details: string }

/**
 * Writes the outcomes of the processors into the fields, for later rows and the record
 * (docs/reference/record.md#shared-forms).
 */
export function showAccount({ fields, processors, processorsAsync, errors }: Side): void {
  if (processors.length > 0) fields.set('processors', `[${processors.join(',')}]`)
  if (processorsAsync.length > 0) fields.set('processors_async', `[${processorsAsync.join(',')}]`)
  if (errors.length > 0) fields.set('error', JSON.stringify(errors))
}

import type { RowProcessor } from '../config/runtime-config.ts'
import type { JsonText } from '../transaction/payload.ts'
import type { WorkQueue } from '../work/work-queue.ts'
import type { ProcessorAnswer } from './decode-reply.ts'
import { hasValue } from './fields.ts'
import type { FieldWrite, JsonValue, ReplyFields } from './reply-value.ts'
import type { Side, WriteResult } from './side.ts'

/**
 * Names that no processor can write, whatever its entry lists. The gateway writes these fields itself, and `__proto__`
 * would change the prototype in a reader that copies the record's fields (docs/reference/bus.md#reply).
 */
const reserved: ReadonlySet<string> = new Set([
  'session_id',
  'transaction_id',
  'processors',
  'processors_async',
  'error',
  'error_type',
  'cut',
  '__proto__',
  'ingress_outbound_timer',
  'outbound_inbound_timer',
  'inbound_egress_timer',
  'first_byte_timer',
  'ingress_egress_timer',
  'egress_post_timer',
])

/**
 * Merges one reply into its side. Only names in the entry's list are written; `modifier: false` only adds missing
 * names, `modifier: true` only replaces existing names. The check happens at the merge, so that the first addition and
 * the last replacement win.
 */
export async function merge({ processor, reply }: ProcessorAnswer, side: Side, work: WorkQueue): Promise<void> {
  if (reply.kind !== 'fields') return
  const slice = work.begin(side.memory.router.path)
  if (hasManyValues(reply.fields)) await slice.next()
  for (const [name, value] of rerouteFirst(reply.fields)) {
    if (!processor.writes.has(name)) continue
    if (reserved.has(name)) side.errors.push({ name: processor.name, details: `reserved: ${name}` })
    else if (hasValue(side.fields, name) !== processor.modifier) continue
    else if (value.kind === 'too deep') side.errors.push({ name: processor.name, details: `too deep: ${name}` })
    else await write({ side, processor, name }, { value, fields: reply.fields, slice })
  }
}

/** The values of a reply from which on its merge waits for a slice: ten thousand headers take milliseconds. */
const MANY_VALUES = 250

function hasManyValues(fields: ReplyFields): boolean {
  for (const value of fields.values()) if (value.kind === 'json' && value.values > MANY_VALUES) return true
  return false
}

/** Moves `gl_path` to the front: a re-route drops earlier writes to `outbound_*`, but not those of the same reply. */
function rerouteFirst(fields: ReplyFields): ReplyFields {
  const path = fields.get('gl_path')
  return path === undefined ? fields : new Map([['gl_path', path], ...fields])
}

type Target = { readonly side: Side; readonly processor: RowProcessor; readonly name: string }

async function write({ side, processor, name }: Target, written: FieldWrite): Promise<void> {
  const effect = side.effects.get(name)
  if (effect !== undefined && processor.async) {
    // The answer is on its way or sent: an effect would only falsify the record.
    side.errors.push({ name: processor.name, details: `too late: ${name}` })
    return
  }
  const result = effect === undefined ? writeUnchanged(written.value) : await effect(written, processor)
  if (result.kind === 'taken') side.fields.set(name, result.json)
  else if (result.error !== undefined) side.errors.push({ name: processor.name, details: result.error })
}

function writeUnchanged(value: JsonValue): WriteResult {
  return { kind: 'taken', json: jsonText(value) }
}

/**
 * Fields up to this size become strings, since neighbouring strings are joined in messages and records; longer fields
 * are spliced as bytes.
 */
const SHORT_BYTES = 4_096

/** Returns a value in the form that a field holds. */
export function jsonText({ json }: JsonValue): JsonText {
  return json.length <= SHORT_BYTES ? json.toString() : json
}

import type { Member } from '../config/runtime-config.ts'
import { stringify } from '../transaction/payload.ts'
import type { Answer } from './call-processors.ts'
import { exists } from './fields.ts'
import type { Effect, Side } from './side.ts'

/** Names no processor can write, whatever its entry lists: the gateway's own account of the call (wire, 2). */
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
 * Merges one reply into its side: only names the entry lists; `modifier: false` only adds names that don't exist,
 * `modifier: true` only replaces names that do; judged here, so the first addition and the last replacement win.
 */
export function merge({ member, reply }: Answer, side: Side): void {
  if (reply.kind !== 'fields') return
  for (const [name, value] of rerouteFirst(reply.fields)) {
    if (!member.writes.has(name)) continue
    if (reserved.has(name)) side.errors.push({ name: member.name, details: `reserved: ${name}` })
    else if (exists(side.fields, name) === member.modifier) write(side, member, name, value, reply.fields)
  }
}

type ReplyFields = ReadonlyMap<string, unknown>

/** A re-route drops what was written to outbound_* before it: within one reply, whatever its order, nothing was. */
function rerouteFirst(fields: ReplyFields): ReplyFields {
  return fields.has('gl_path') ? new Map([['gl_path', fields.get('gl_path')], ...fields]) : fields
}

function write(side: Side, member: Member, name: string, value: unknown, reply: ReplyFields): void {
  const effect = side.effects.get(name)
  if (effect !== undefined && member.async) {
    // The answer is on its way or gone: an effect would only falsify the record.
    side.errors.push({ name: member.name, details: `too late: ${name}` })
    return
  }
  const written = effect === undefined ? plain(name, value) : effect(value, member, reply)
  if (written.kind === 'taken') side.fields.set(name, written.json)
  else if (written.error !== undefined) side.errors.push({ name: member.name, details: written.error })
}

function plain(name: string, value: unknown): Effect {
  const json = stringify(value)
  return json === undefined ? { kind: 'ignored', error: `too deep: ${name}` } : { kind: 'taken', json }
}

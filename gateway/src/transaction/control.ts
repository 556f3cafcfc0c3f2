import type { Member, Runtime } from '../config/runtime-config.ts'
import type { HeaderMap } from '../http/headers.ts'
import { jsonText } from '../pipeline/merge.ts'
import { MAP, ONE_VALUE, parseWithin, type ReplyValue, type Written } from '../pipeline/reply-value.ts'
import type { Effect, Side, WriteEffect } from '../pipeline/side.ts'
import { headersJson, type Mask } from './mask.ts'
import { isStatusCode } from './response-side.ts'
import { writtenHeaders } from './written-headers.ts'

/** A processor's answer in place of the LLM API's (docs/reference/bus.md#fields-with-an-effect). */
export type Control = { readonly json: Buffer; readonly status: number; readonly headers: HeaderMap }

/** The part of the request side that a control changes. */
type ControlledSide = Pick<Side, 'fields' | 'errors'> & { readonly mask: Mask; control: Control | undefined }

/** Fields that are taken only from the reply whose `control` is taken. */
const companions = ['control_status_code', 'control_headers'] as const

/** Returns the effects of `control`, `control_status_code` and `control_headers` on the request side. */
export function controlEffects(runtime: Runtime, side: ControlledSide): readonly [string, WriteEffect][] {
  return [
    ['control', (written, member) => takeControl(runtime, side, { ...written, member })],
    ...companions.map((name): [string, WriteEffect] => [name, () => ({ kind: 'ignored' })]),
  ]
}

type WrittenBy = Written & { readonly member: Member }

function takeControl(runtime: Runtime, side: ControlledSide, { value, fields, member }: WrittenBy): Effect {
  const taken: Effect = { kind: 'taken', json: jsonText(value) }
  for (const name of companions) side.fields.delete(name)
  side.control = undefined
  if (value.json.toString('latin1', 0, 4) === 'null') return taken
  const [status, headers] = companions.map((name) => (member.writes.has(name) ? fields.get(name) : undefined))
  side.control = {
    json: value.json,
    status: statusOf(status) ?? 200,
    headers: headers === undefined ? new Map() : controlHeaders(runtime, side, { value: headers, member }),
  }
  if (status?.kind === 'json') side.fields.set('control_status_code', jsonText(status))
  if (headers !== undefined) side.fields.set('control_headers', headersJson(side.control.headers, side.mask))
  return taken
}

function statusOf(value: ReplyValue | undefined): number | undefined {
  const status = value?.kind === 'json' ? parseWithin(value, ONE_VALUE) : undefined
  return isStatusCode(status) ? status : undefined
}

type HeadersBy = { readonly value: ReplyValue; readonly member: Member }

function controlHeaders(runtime: Runtime, side: ControlledSide, { value, member }: HeadersBy): HeaderMap {
  const isSession = (lower: string) => lower === runtime.sessionHeader.lower
  const map = value.kind === 'json' ? parseWithin(value, MAP) : undefined
  const written = writtenHeaders(map, new Map(), isSession)
  const reason = value.kind === 'too deep' ? 'too deep' : map === undefined ? 'too large' : 'not a map'
  const errors = written?.errors ?? [`${reason}: control_headers`]
  for (const details of errors) side.errors.push({ name: member.name, details })
  return written?.headers ?? new Map()
}

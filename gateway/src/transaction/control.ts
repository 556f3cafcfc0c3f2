import type { Member, Runtime } from '../config/runtime-config.ts'
import type { HeaderMap } from '../http/headers.ts'
import type { Effect, WriteEffect } from '../pipeline/side.ts'
import { headersJson } from './mask.ts'
import { stringify } from './payload.ts'
import type { RequestSide } from './request-side.ts'
import { isStatusCode } from './response-side.ts'
import { writtenHeaders } from './written-headers.ts'

/** An answer given by a processor in place of the LLM API (wire, 2). */
export type Control = { readonly json: string; readonly status: number; readonly headers: HeaderMap }

/** Taken only together, from the reply whose `control` won. */
const companions = ['control_status_code', 'control_headers'] as const

/** The effects of `control` and its two companions on the request side (wire, 2). */
export function controlEffects(runtime: Runtime, side: RequestSide): readonly [string, WriteEffect][] {
  return [
    ['control', (value, member, reply) => takeControl(runtime, side, { value, member, reply })],
    ...companions.map((name): [string, WriteEffect] => [name, () => ({ kind: 'ignored' })]),
  ]
}

type Written = { readonly value: unknown; readonly member: Member; readonly reply: ReadonlyMap<string, unknown> }

function takeControl(runtime: Runtime, side: RequestSide, { value, member, reply }: Written): Effect {
  const json = stringify(value)
  if (json === undefined) return { kind: 'ignored', error: 'too deep: control' }
  for (const name of companions) side.fields.delete(name)
  side.control = undefined
  if (value === null) return { kind: 'taken', json }
  const [status, headers] = companions.map((name) => (member.writes.has(name) ? reply.get(name) : undefined))
  side.control = {
    json,
    status: isStatusCode(status) ? status : 200,
    headers: controlHeaders(runtime, side, headers ?? {}, member),
  }
  if (status !== undefined) side.fields.set('control_status_code', stringify(status) ?? 'null')
  if (headers !== undefined) side.fields.set('control_headers', headersJson(side.control.headers, side.mask))
  return { kind: 'taken', json }
}

function controlHeaders(runtime: Runtime, side: RequestSide, value: unknown, member: Member): HeaderMap {
  const isSession = (lower: string) => lower === runtime.sessionHeader.lower
  const written = writtenHeaders(value, new Map(), isSession)
  const errors = written === undefined ? ['not a map: control_headers'] : written.errors
  for (const details of errors) side.errors.push({ name: member.name, details })
  return written?.headers ?? new Map()
}

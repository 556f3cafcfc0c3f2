import type { RowProcessor, RuntimeConfig } from '../config/runtime-config.ts'
import type { HeaderMap } from '../http/headers.ts'
import { jsonText } from '../pipeline/merge.ts'
import { type FieldWrite, parseMap, parseWithin, type ReplyValue, SINGLE_VALUE } from '../pipeline/reply-value.ts'
import type { Side, WriteEffect, WriteResult } from '../pipeline/side.ts'
import { headersJson, type Mask } from './mask.ts'
import { mergeHeaders } from './merge-headers.ts'
import { isStatusCode } from './response-side.ts'

/** A processor's answer in place of the LLM API's (docs/reference/bus.md#fields-with-an-effect). */
export type Control = { readonly json: Buffer; readonly status: number; readonly headers: HeaderMap }

/** The part of the request side that a control changes. */
type ControlledSide = Pick<Side, 'fields' | 'errors' | 'memory'> & { readonly mask: Mask; control: Control | undefined }

/** Fields that are taken only from the reply whose `control` is taken. */
const companionFields = ['control_status_code', 'control_headers'] as const

/** Returns the effects of `control`, `control_status_code` and `control_headers` on the request side. */
export function controlEffects(runtime: RuntimeConfig, side: ControlledSide): readonly [string, WriteEffect][] {
  return [
    ['control', (written, processor) => takeControl(runtime, side, { ...written, processor })],
    ...companionFields.map((name): [string, WriteEffect] => [name, () => ({ kind: 'ignored' })]),
  ]
}

type ProcessorWrite = FieldWrite & { readonly processor: RowProcessor }

function takeControl(
  runtime: RuntimeConfig,
  side: ControlledSide,
  { value, fields, processor }: ProcessorWrite,
): WriteResult {
  const taken: WriteResult = { kind: 'taken', json: jsonText(value) }
  for (const name of companionFields) side.fields.delete(name)
  side.control = undefined
  if (value.json.toString('latin1', 0, 4) === 'null') return taken
  const [status, headers] = companionFields.map((name) => (processor.writes.has(name) ? fields.get(name) : undefined))
  side.control = {
    json: value.json,
    status: statusOf(status) ?? 200,
    headers: headers === undefined ? new Map() : controlHeaders(runtime, side, { value: headers, processor }),
  }
  if (status?.kind === 'json') side.fields.set('control_status_code', jsonText(status))
  if (headers !== undefined) side.fields.set('control_headers', headersJson(side.control.headers, side.mask))
  return taken
}

function statusOf(value: ReplyValue | undefined): number | undefined {
  const status = value?.kind === 'json' ? parseWithin(value, SINGLE_VALUE) : undefined
  return isStatusCode(status) ? status : undefined
}

type HeadersWrite = { readonly value: ReplyValue; readonly processor: RowProcessor }

function controlHeaders(runtime: RuntimeConfig, side: ControlledSide, { value, processor }: HeadersWrite): HeaderMap {
  const isSession = (lower: string) => lower === runtime.sessionHeader.lower
  const map = value.kind === 'json' ? parseMap(value, side.memory) : undefined
  const written = mergeHeaders(map, new Map(), isSession)
  const reason = value.kind === 'too deep' ? 'too deep' : map === undefined ? 'too large' : 'not a map'
  const errors = written?.errors ?? [`${reason}: control_headers`]
  for (const details of errors) side.errors.push({ name: processor.name, details })
  return written?.headers ?? new Map()
}

import { isJsonObject } from './json.ts'
import { jsonMembers, type Member, type MemberChoice } from './json-members.ts'
import { type TokenUsage, USAGE_MEMBERS, usageOf } from './payload/usage-of.ts'

/** A record's values for the columns of a table; undefined: the record lacks the value. */
export type RecordRow = {
  /** The time at which the call came in, RFC 3339. */
  readonly time: string | undefined
  readonly sessionId: string | undefined
  readonly transactionId: string | undefined
  /** The router that answered. */
  readonly router: string | undefined
  /** The router that was called, when the call was re-routed. */
  readonly originalRouter: string | undefined
  readonly method: string | undefined
  readonly status: number | undefined
  readonly errorType: string | undefined
  readonly durationMs: number | undefined
  readonly firstByteMs: number | undefined
  readonly model: string | undefined
  readonly stream: boolean
  readonly usage: RowUsage
}

export type RowUsage = { readonly [Name in keyof TokenUsage]-?: number | undefined }

type Values = ReadonlyMap<string, unknown>

/** Larger values are payloads, which are scanned and never parsed as a whole. */
const SMALL_BYTES = 64 * 1024

const PAYLOADS: ReadonlySet<string> = new Set(['inbound_payload', 'outbound_payload'])
const inPayload: MemberChoice = () => undefined
const inSide: MemberChoice = (name) => (PAYLOADS.has(name) ? inPayload : undefined)
const inRecord: MemberChoice = (name) => (name === 'request' || name === 'response' ? inSide : undefined)

/**
 * Finds the members of a record, of its two sides and of the payloads that rows need. Bytes that aren't a JSON object
 * have none.
 */
export function recordMembers(bytes: Uint8Array): readonly Member[] {
  return jsonMembers(bytes, 0, inRecord) ?? []
}

/**
 * Reads a row's values. The cost of a payload depends on its length alone, not on its depth. Never throws.
 *
 * @param members the result of `recordMembers`, which reads the whole record
 */
export function recordRow(bytes: Uint8Array, members: readonly Member[] = recordMembers(bytes)): RecordRow {
  const root = parsedMembers(bytes, members)
  const [request, response] = ['request', 'response'].map((side) => sideOf(bytes, members, side))
  const answer = payloadValues(bytes, response?.places.get('inbound_payload'))
  const asked = payloadValues(bytes, request?.places.get('outbound_payload'))
  const texts = (values: Values | undefined, name: string): string | undefined => text(values?.get(name))
  const status = response?.values.get('egress_status_code') ?? request?.values.get('egress_status_code')
  return {
    time: timeOf(root.get('ingress_egress_timer')),
    sessionId: texts(root, 'session_id'),
    transactionId: texts(root, 'transaction_id'),
    router: texts(response?.values, 'gl_path') ?? texts(request?.values, 'gl_path'),
    originalRouter: texts(response?.values, 'original_gl_path') ?? texts(request?.values, 'original_gl_path'),
    method: texts(request?.values, 'ingress_method'),
    status: count(status),
    errorType: texts(root, 'error_type'),
    durationMs: duration(root.get('ingress_egress_timer')),
    firstByteMs: duration(response?.values.get('first_byte_timer')),
    model: text(answer.get('model')) ?? text(asked.get('model')),
    stream: response?.values.get('stream') === true,
    usage: usage(response?.values.get('token_count'), answer),
  }
}

type Side = { readonly values: Values; readonly places: ReadonlyMap<string, Member> }

function sideOf(bytes: Uint8Array, record: readonly Member[], name: string): Side | undefined {
  const members = record.findLast((member) => member.name === name)?.members
  if (members === undefined) return undefined
  const places = new Map(members.map((member) => [member.name, member]))
  return { places, values: parsedMembers(bytes, members) }
}

function payloadValues(bytes: Uint8Array, payload: Member | undefined): Values {
  const members = payload?.members ?? []
  return parsedMembers(
    bytes,
    members.filter(({ name }) => name === 'model' || USAGE_MEMBERS.has(name)),
  )
}

function parsedMembers(bytes: Uint8Array, members: readonly Member[]): Values {
  const small = members.filter(({ start, end }) => end - start <= SMALL_BYTES)
  return new Map(small.map(({ name, start, end }) => [name, parsed(bytes.subarray(start, end))]))
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return undefined // the record is written unchanged; only this column stays empty
  }
}

/** Returns the token counter's counts, else those reported by the answer. */
function usage(counted: unknown, answer: Values): RowUsage {
  const { prompt, completion, total, cached } = usageOf(Object.fromEntries(answer)) ?? {}
  if (!isJsonObject(counted)) return { prompt, completion, total, cached }
  const { prompt_tokens, completion_tokens, total_tokens } = counted
  return { prompt: count(prompt_tokens), completion: count(completion_tokens), total: count(total_tokens), cached }
}

function timeOf(timer: unknown): string | undefined {
  const start = isJsonObject(timer) ? text(timer.start) : undefined
  return start !== undefined && !Number.isNaN(Date.parse(start)) ? start : undefined
}

function duration(timer: unknown): number | undefined {
  return isJsonObject(timer) ? count(timer.duration) : undefined
}

/** Removes NUL, which PostgreSQL's texts can't hold, and replaces half surrogate pairs, which some readers of JSON refuse. */
function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : undefined
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined
}

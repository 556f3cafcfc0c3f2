import { isJsonObject, parseJson } from './json.ts'

/**
 * Reads a message of the gateway to a processor: the selected first-level fields of `request` or `response`
 * (docs/reference/bus.md#request). Undefined where the bytes are not a JSON object. Never throws.
 */
export function decodeMessage(bytes: Uint8Array): ReadonlyMap<string, unknown> | undefined {
  const value = parseJson(bytes)
  return isJsonObject(value) ? new Map(Object.entries(value)) : undefined
}

/** The bus header by which readers drop repeats (docs/reference/kept-records.md#message-ids). */
export const MESSAGE_ID_HEADER = 'Nats-Msg-Id'

/**
 * The bus header with the time in Unix milliseconds until which the gateway waits for the reply
 * (docs/reference/bus.md#request).
 */
export const DEADLINE_HEADER = 'Gateway-Deadline'

const DEADLINE = /^[0-9]{1,15}$/

/** The header's value; undefined where there is none or it is no time: such a message is good for ever. */
export function readDeadline(value: string | undefined): number | undefined {
  return value !== undefined && DEADLINE.test(value) ? Number(value) : undefined
}

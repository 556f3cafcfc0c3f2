import { isJsonObject, parseJson } from './json.ts'

/**
 * Reads the gateway's message to a processor: the selected first-level fields of `request` or `response`
 * (docs/reference/bus.md#request). Undefined when the bytes are not a JSON object. Never throws.
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

/** Parses the header's value; undefined when it is absent or no time: such a message never expires. */
export function readDeadline(value: string | undefined): number | undefined {
  return value !== undefined && DEADLINE.test(value) ? Number(value) : undefined
}

/**
 * The bus header with the path of the router for which the gateway waits (docs/reference/bus.md#request): at most 1,024
 * letters, digits and `_ - . ~ /`. The messages of a router share its part of a processor.
 */
export const ROUTER_HEADER = 'Gateway-Router'

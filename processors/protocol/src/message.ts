import { createHash } from 'node:crypto'
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
 * The bus header with the name of the router for which the gateway waits (docs/reference/bus.md#request). The messages
 * of a router share its part of a processor.
 */
export const ROUTER_HEADER = 'Gateway-Router'

const LONGEST_NAME = 1_024

/**
 * Returns a router's name in the header: its path, which has letters, digits and `_ - . ~ /` only. Processors read a
 * bounded part of the headers, so a longer path is replaced by its hash.
 */
export function routerName(path: string): string {
  return path.length <= LONGEST_NAME ? path : `sha256:${createHash('sha256').update(path).digest('hex')}`
}

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

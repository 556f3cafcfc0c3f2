/** The bus header with the Unix milliseconds after which the gateway waits for no answer (wire, 8). */
export const DEADLINE_HEADER = 'Gateway-Deadline'

const DEADLINE = /^[0-9]{1,15}$/

/** The header's value; undefined where there is none or it is no time: such a message is good for ever. */
export function readDeadline(value: string | undefined): number | undefined {
  return value !== undefined && DEADLINE.test(value) ? Number(value) : undefined
}

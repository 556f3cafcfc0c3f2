import { DEADLINE_HEADER, readDeadline } from '@llm-gateway/protocol'
import type { BusMessage } from './bus.ts'

/** When a message came and until when its answer is waited for; `performance.now()`. */
export type Arrival = { readonly at: number; readonly deadline: number }

/** A message without a deadline is good for ever, and so is one that is taken in late too. */
export function arrivalOf(message: BusMessage, takesLate: boolean): Arrival {
  const at = performance.now()
  const deadline = takesLate ? undefined : readDeadline(message.header(DEADLINE_HEADER))
  return { at, deadline: deadline === undefined ? Number.POSITIVE_INFINITY : at + (deadline - Date.now()) }
}

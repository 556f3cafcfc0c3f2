import type { ProcessorEntry } from '@llm-gateway/conf'
import { CALL_POINT_DEFAULTS, MOCK_RECORDING, type ProcessorType } from '@llm-gateway/crds'

type Rows = readonly (readonly ProcessorEntry[])[]
type Phase = 'request' | 'response'

/** Leaves room for rows that people add in between. */
const STEP = 10

/** Returns the `order` of each row; undefined: the types' own orders keep the rows. */
export function rowOrders(
  rows: Rows,
  phase: Phase,
  typeOf: (entry: ProcessorEntry) => ProcessorType,
): readonly number[] | undefined {
  const usual = rows.map((row) => row.map((entry) => usualOrder(entry, phase, typeOf(entry))))
  const rowwise = usual.map((orders) => (orders.every((order) => order === orders[0]) ? orders[0] : undefined))
  const fits = rowwise.every(
    (order, index) => order !== undefined && (index === 0 || order > (rowwise[index - 1] ?? 0)),
  )
  if (fits) return undefined
  // The order of a Mock's recording is fixed, so the other rows are placed around it.
  const recording = rows.findIndex((row) => row.some((entry) => isRecording(entry, phase, typeOf(entry))))
  const first = recording === -1 ? STEP : MOCK_RECORDING.order - recording * STEP
  return rows.map((_, index) => first + index * STEP)
}

/** Returns the order of a type's entry; undefined: a Custom entry, which has none. */
function usualOrder(entry: ProcessorEntry, phase: Phase, type: ProcessorType): number | undefined {
  if (type === 'Custom') return undefined
  return isRecording(entry, phase, type) ? MOCK_RECORDING.order : CALL_POINT_DEFAULTS[type][phase]?.order
}

/** Returns whether an entry is the Mock's recording, which only listens, and not its replay. */
export function isRecording(entry: ProcessorEntry, phase: Phase, type: ProcessorType): boolean {
  return type === 'Mock' && phase === 'response' && entry.async && entry.output_fields_write.length === 0
}

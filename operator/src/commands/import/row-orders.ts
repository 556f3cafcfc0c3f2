import type { ProcessorEntry } from '@llm-gateway/conf'
import { CALL_POINT_DEFAULTS, MOCK_RECORDING, type ProcessorType } from '@llm-gateway/crds'

type Rows = readonly (readonly ProcessorEntry[])[]
type Phase = 'request' | 'response'

/** Room for rows that people put between. */
const STEP = 10

/** The `order` of each row; undefined: the types' own put them where they are. */
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
  // Where a Mock records can't be said, so the other rows go around it.
  const recording = rows.findIndex((row) => row.some((entry) => isRecording(entry, phase, typeOf(entry))))
  const first = recording === -1 ? STEP : MOCK_RECORDING.order - recording * STEP
  return rows.map((_, index) => first + index * STEP)
}

/** undefined: a Custom one, which always says it. */
function usualOrder(entry: ProcessorEntry, phase: Phase, type: ProcessorType): number | undefined {
  if (type === 'Custom') return undefined
  return isRecording(entry, phase, type) ? MOCK_RECORDING.order : CALL_POINT_DEFAULTS[type][phase]?.order
}

/** Of the Mock's two call points after the answer the one that only listens. */
export function isRecording(entry: ProcessorEntry, phase: Phase, type: ProcessorType): boolean {
  return type === 'Mock' && phase === 'response' && entry.async && entry.output_fields_write.length === 0
}

import type { ProcessorEntry } from '@llm-gateway/conf'
import type { Phase } from './call-points.ts'
import type { RowEntry } from './row-entries.ts'

/** `request.processors` or `response.processors` of gl_config.json: same order, same row; in a row the older Processor first. */
export function composeRows(entries: readonly RowEntry[], phase: Phase): readonly (readonly ProcessorEntry[])[] {
  const rows = new Map<number, ProcessorEntry[]>()
  for (const { phase: where, order, entry } of entries) {
    if (where !== phase) continue
    const row = rows.get(order) ?? []
    row.push(entry)
    rows.set(order, row)
  }
  return [...rows].sort(([a], [b]) => a - b).map(([, row]) => row)
}

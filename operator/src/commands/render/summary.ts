import type { Condition } from '@llm-gateway/crds'
import type { Rendered, StatusDocument } from './render.ts'

export type Summary = {
  /** A table with a line for each resource, as kubectl shows it. */
  readonly text: string
  /** True when every condition of every resource holds, RecordsDurable aside. */
  readonly fine: boolean
}

const HEAD = ['KIND', 'NAMESPACE', 'NAME', 'REASON', 'MESSAGE']

/**
 * Summarizes the statuses. The reason of a resource is that of its first condition that isn't True, else Programmed.
 */
export function summaryOf({ gateways, orphans }: Rendered): Summary {
  const all = [...gateways.flatMap(({ statuses }) => statuses), ...orphans]
  const rows = all.map((document) => ({ document, condition: firstFalse(document) }))
  const lines = rows.map(({ document: { kind, metadata }, condition }) => [
    kind,
    metadata.namespace,
    metadata.name,
    condition?.reason ?? 'Programmed',
    condition?.message ?? '',
  ])
  return { text: table([HEAD, ...lines]), fine: rows.every(({ condition }) => condition === undefined) }
}

/**
 * Finds the first condition that isn't True. RecordsDurable doesn't count: the storage of records is a choice, and no
 * fault.
 */
export function firstFalse({ status }: StatusDocument): Condition | undefined {
  return status.conditions?.find((condition) => condition.status !== 'True' && condition.type !== 'RecordsDurable')
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('   ')
  return rows.map((row) => `${line(row).trimEnd()}\n`).join('')
}

import type { Edit, FieldPath } from '@llm-gateway/gui-api'
import { elementsOf, membersOf, textOf, valueAt } from '../../json-value.ts'

export type Phase = 'request' | 'response'

export type Row = {
  /** A key that the row keeps when it is moved. */
  readonly key: string
  readonly members: readonly unknown[]
}

/** Returns the rows of a phase in the file's order. */
export function rowsOf(value: unknown, phase: Phase): readonly Row[] {
  const counts = new Map<string, number>()
  return elementsOf(valueAt(value, pathOf(phase))).map((row) => {
    const members = elementsOf(row)
    const names = members.map(nameOf).join(', ')
    const count = counts.get(names) ?? 0
    counts.set(names, count + 1)
    return { key: count === 0 ? names : `${names} ${count + 1}`, members }
  })
}

export function nameOf(member: unknown): string {
  return textOf(membersOf(member).name) ?? ''
}

export function pathOf(phase: Phase): readonly [Phase, 'processors'] {
  return [phase, 'processors']
}

type RowMove = { readonly phase: Phase; readonly from: number; readonly to: number }

/** Moves a row before or behind another. */
export function moveRow({ phase, from, to }: RowMove): readonly Edit[] {
  return from === to ? [] : [{ op: 'move', path: [...pathOf(phase), from], to }]
}

/** Moves the members of a row into another row, to run beside its members. */
export function joinRows(rows: readonly Row[], { phase, from, to }: RowMove): readonly Edit[] {
  const [moved, target] = [rows[from], rows[to]]
  if (moved === undefined || target === undefined || from === to) return []
  const inserts = moved.members.map(
    (value, at): Edit => ({ op: 'insert', path: [...pathOf(phase), to, target.members.length + at], value }),
  )
  return [...inserts, { op: 'remove', path: [...pathOf(phase), from] }]
}

/** Moves one member of a row into a new row behind it. */
export function splitMember(rows: readonly Row[], phase: Phase, [row, at]: readonly [number, number]): readonly Edit[] {
  const member = rows[row]?.members[at]
  if (member === undefined) return []
  return [
    { op: 'remove', path: [...pathOf(phase), row, at] },
    { op: 'insert', path: [...pathOf(phase), row + 1], value: [member] },
  ]
}

/** Removes a processor, and its row if that becomes empty. */
export function removeMember(rows: readonly Row[], phase: Phase, [row, at]: readonly [number, number]): Edit {
  const path: FieldPath = [...pathOf(phase), row]
  return rows[row]?.members.length === 1 ? { op: 'remove', path } : { op: 'remove', path: [...path, at] }
}

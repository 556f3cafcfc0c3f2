import type { Edit, FieldPath } from '@llm-gateway/gui-api'
import { isObject } from '../json-value.ts'

/**
 * Applies an edit to a value as the server would: `set` and `insert` make missing parents, `remove` and `move` of a
 * missing value change nothing.
 */
export function applyEdit(value: unknown, edit: Edit): unknown {
  const last = edit.path.at(-1)
  if (last === undefined) return edit.op === 'set' ? edit.value : value
  return changedAt(value, edit.path.slice(0, -1), (parent) => {
    if (edit.op === 'set') return withMember(parent, last, edit.value)
    if (edit.op === 'remove') return withoutMember(parent, last)
    if (edit.op === 'insert' && parent === undefined && typeof last === 'number') return [edit.value]
    if (!Array.isArray(parent) || typeof last !== 'number') return parent
    if (edit.op === 'insert') return parent.toSpliced(last, 0, edit.value)
    return last < parent.length ? parent.toSpliced(last, 1).toSpliced(edit.to, 0, parent[last]) : parent
  })
}

function changedAt(value: unknown, path: FieldPath, change: (parent: unknown) => unknown): unknown {
  const [step, ...rest] = path
  if (step === undefined) return change(value)
  const inner = Array.isArray(value) ? value[Number(step)] : isObject(value) ? value[step] : undefined
  const changed = changedAt(inner, rest, change)
  return changed === undefined ? value : withMember(value, step, changed)
}

function withMember(parent: unknown, step: string | number, value: unknown): unknown {
  if (Array.isArray(parent)) {
    return typeof step === 'number' && step <= parent.length ? parent.toSpliced(step, 1, value) : parent
  }
  if (parent === undefined && typeof step === 'number') return [value]
  // fromEntries makes a member of any name, `__proto__` included.
  return Object.fromEntries([...Object.entries(isObject(parent) ? parent : {}), [step, value]])
}

function withoutMember(parent: unknown, step: string | number): unknown {
  if (Array.isArray(parent)) return typeof step === 'number' ? parent.toSpliced(step, 1) : parent
  return isObject(parent) ? Object.fromEntries(Object.entries(parent).filter(([name]) => name !== step)) : parent
}

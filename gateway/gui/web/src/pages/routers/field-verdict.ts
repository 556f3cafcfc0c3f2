import type { Check, FieldPath } from '@llm-gateway/gui-api'
import { texts } from '../../texts.ts'
import type { FieldVerdict } from '../../ui/field-reason.tsx'

/** Returns the check's verdict on one field; `text` is the field's value. */
export function fieldVerdict(check: Check | undefined, path: FieldPath, text: string): FieldVerdict | undefined {
  if (check === undefined) return undefined
  const found = check.fields.find((field) => isSame(field.path, path))
  if (found !== undefined) return { state: found.state, reason: found.message }
  const names = [...text.matchAll(/\$\{?(\w+)\}?/g)].map(([, name]) => name ?? '')
  if (names.length > 0) return { state: 'valid', reason: texts.fields.isSet(names) }
  return { state: 'valid', reason: text === '' ? texts.fields.empty : '' }
}

function isSame(one: FieldPath, other: FieldPath): boolean {
  return one.length === other.length && one.every((step, index) => step === other[index])
}

/** Returns whether a field lies in the part of the file at the path. */
export function isWithin(path: FieldPath, part: FieldPath): boolean {
  return part.every((step, index) => path[index] === step)
}

import type { Check, Edit, FieldPath, File } from '@llm-gateway/gui-api'

/** What every field of a file's form needs of the file. */
export type SettingsPlace = {
  readonly check: Check
  readonly readOnly: File['read_only']
  readonly onEdit: (...edits: readonly Edit[]) => void
}

/** Whether a pattern covers the field, or something that it lies in; `*` is any step. */
export function isReadOnly(path: FieldPath, patterns: File['read_only']): boolean {
  return patterns.some(
    (pattern) => pattern.length <= path.length && pattern.every((step, index) => step === '*' || step === path[index]),
  )
}

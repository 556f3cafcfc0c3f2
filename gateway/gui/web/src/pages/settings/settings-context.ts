import type { Check, Edit, FieldPath, File } from '@llm-gateway/gui-api'

/** The file's data that every field of its form needs. */
export type SettingsContext = {
  readonly check: Check
  readonly readOnly: File['read_only']
  readonly onEdit: (...edits: readonly Edit[]) => void
}

/** Returns whether a pattern covers the field or a parent of it; `*` matches any step. */
export function isReadOnly(path: FieldPath, patterns: File['read_only']): boolean {
  return patterns.some(
    (pattern) => pattern.length <= path.length && pattern.every((step, index) => step === '*' || step === path[index]),
  )
}

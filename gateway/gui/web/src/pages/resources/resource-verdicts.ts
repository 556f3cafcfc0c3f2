import type { FieldPath, OwnedField, ResourceCheck } from '@llm-gateway/gui-api'
import { texts } from '../../texts.ts'
import type { FieldVerdict } from '../../ui/field-reason.tsx'
import { isAtOrAbove, isAtOrBelow, isSamePlace, stepsOf } from './field-steps.ts'

/** Returns the verdict on a field of a manifest; `text` is the field's value. */
export type FieldJudge = (path: FieldPath, text: string) => FieldVerdict | undefined

/** Returns verdicts on single fields from the check of the whole manifest. */
export function fieldJudge(check: ResourceCheck | undefined): FieldJudge {
  if (check === undefined) return () => undefined
  const found = [
    ...check.errors.map(({ path, message }) => ({ steps: stepsOf(path), message })),
    ...check.rejected_fields.map(({ field, reason }) => ({ steps: stepsOf(field), message: reason })),
  ]
  const states = new Map(check.variables.map(({ name, state }) => [name, state]))
  const names = texts.manifest.variableStates
  return (path, text) => {
    const used = [...text.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name ?? '')
    for (const name of used) {
      const state = states.get(name)
      if (state === 'unknown' || state === 'not_permitted') return { state: 'required', reason: names[state](name) }
    }
    const reason = found.find(({ steps }) => isSamePlace(steps, path))?.message
    if (reason !== undefined) return { state: 'invalid', reason }
    const [first] = used
    const state = first === undefined ? undefined : states.get(first)
    if (first === undefined || state === undefined) return undefined
    return { state: 'valid', reason: names[state](first) }
  }
}

/** Returns another manager that owns the field, a parent of it, or a part of it. */
export function ownerOf(owned: readonly OwnedField[], path: FieldPath): string | undefined {
  const found = owned.find(({ path: text }) => {
    const steps = stepsOf(text)
    return steps.length > 0 && (isAtOrAbove(steps, path) || isAtOrBelow(steps, path))
  })
  return found?.manager
}

import type { FieldPath } from '@llm-gateway/gui-api'

/**
 * Splits a path in the server's notation: `.spec.env[name="KEY"].value`, `spec.outbound.headers.Api-Key[0]` or
 * `outbound.headers[Api-Key][0]`, which begins below spec.
 */
export function stepsOf(path: string): readonly string[] {
  const steps = [...path.matchAll(/\[([^\]]*)\]|[^.[\]]+/g)].map(([all, inner]) => inner ?? all)
  const [first] = steps
  return first === 'spec' || first === 'metadata' || first === 'apiVersion' || first === 'kind'
    ? steps
    : steps.length === 0
      ? []
      : ['spec', ...steps]
}

export function isSamePlace(steps: readonly string[], path: FieldPath): boolean {
  return steps.length === path.length && path.every((step, at) => steps[at] === String(step))
}

/** Returns whether the field lies at the path or below it. */
export function isAtOrBelow(steps: readonly string[], path: FieldPath): boolean {
  return steps.length >= path.length && path.every((step, at) => steps[at] === String(step))
}

/** Returns whether the field, or an object that contains it, lies at the path. */
export function isAtOrAbove(steps: readonly string[], path: FieldPath): boolean {
  return steps.length <= path.length && steps.every((step, at) => String(path[at]) === step)
}

import type { LabelSelector, Namespaces } from '@llm-gateway/crds'

type Labels = Readonly<Record<string, string>>

/**
 * Returns whether the selection admits a namespace. Every selection admits `own` (docs/reference/kubernetes.md#paths).
 */
export function admitsNamespace(
  { from, selector }: Namespaces,
  namespace: string,
  { own, labels }: { readonly own: string; readonly labels: ReadonlyMap<string, Labels> },
): boolean {
  if (namespace === own) return true
  switch (from) {
    case 'Same':
      return false
    case 'All':
      return true
    case 'Selector':
      return selects(selector, labels.get(namespace))
    default:
      return from satisfies never
  }
}

/** A namespace that the operator hasn't seen has unknown labels, so no selector admits it. */
function selects(selector: LabelSelector | undefined, labels: Labels | undefined): boolean {
  if (selector === undefined || labels === undefined) return false
  const { matchLabels = {}, matchExpressions = [] } = selector
  const equal = Object.entries(matchLabels).every(([key, value]) => labelOf(labels, key) === value)
  return equal && matchExpressions.every((expression) => holds(expression, labelOf(labels, expression.key)))
}

type Expression = NonNullable<LabelSelector['matchExpressions']>[number]

function holds({ operator, values = [] }: Expression, value: string | undefined): boolean {
  switch (operator) {
    case 'Exists':
      return value !== undefined
    case 'DoesNotExist':
      return value === undefined
    case 'In':
      return value !== undefined && values.includes(value)
    case 'NotIn':
      return value === undefined || !values.includes(value)
    default:
      return operator satisfies never
  }
}

function labelOf(labels: Labels, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined
}

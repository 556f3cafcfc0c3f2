import type { Router } from '@llm-gateway/crds'
import type { Snapshot } from '../model/snapshot.ts'
import { findVariable, type Variable } from '../translate/variables/find-variable.ts'
import { namesIn } from '../translate/variables/split-references.ts'

/** A `${NAME}` of a Router and its meaning. */
export type NamedVariable = {
  readonly name: string
  readonly state: 'declared' | 'shared' | 'not_permitted' | 'unknown'
  /** True when a Secret or ConfigMap holds its value. */
  readonly fromKey: boolean
}

/** Returns each NAME in a Router's headers and addresses, once, sorted. */
export function variablesOf(
  router: Router,
  snapshot: Pick<Snapshot, 'gateway' | 'namespaces'>,
): readonly NamedVariable[] {
  const { ingress, outbound } = router.spec
  const names = [...new Set(namesIn([ingress, outbound]))].toSorted()
  return names.map((name) => {
    const variable = findVariable(name, router, snapshot)
    return { name, state: stateOf(variable), fromKey: variable.kind === 'key' }
  })
}

function stateOf(variable: Variable): NamedVariable['state'] {
  switch (variable.kind) {
    case 'literal':
    case 'key':
      return variable.shared ? 'shared' : 'declared'
    case 'not permitted':
      return 'not_permitted'
    case 'not found':
      return 'unknown'
    default:
      return variable satisfies never
  }
}

import type { References } from '@llm-gateway/conf'
import { lookUp } from '@llm-gateway/conf/editor'
import type { Variable } from '@llm-gateway/gui-api'

/** What the gateway's environment is: its variables, and those that the supervisor made up. */
export type Surroundings = {
  readonly references: References
  /** Names that were unset: their values are random, and nobody can read them. */
  readonly generated: ReadonlySet<string>
}

export function variableState(name: string, { references, generated }: Surroundings): Variable['state'] {
  if ((lookUp(name, references) ?? '') === '') return 'unset'
  return generated.has(name) ? 'generated' : 'set'
}

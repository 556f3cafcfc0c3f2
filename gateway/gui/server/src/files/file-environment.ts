import { type Environment, type References, readDelivery } from '@llm-gateway/conf'
import { lookUp } from '@llm-gateway/conf/editor'
import type { Variable } from '@llm-gateway/gui-api'

/** What the gateway's environment is: its variables, and those that the supervisor made up. */
export type Surroundings = {
  readonly references: References
  /** Names that were unset: their values are random, and nobody can read them. */
  readonly generated: ReadonlySet<string>
}

/** Values of files are read anew each time. Rejects with a ConfError where they can't be read. */
export async function readSurroundings(environment: Environment): Promise<Surroundings> {
  const generated = new Set((environment.GENERATED_SECRETS ?? '').split(',').filter((name) => name !== ''))
  return { references: await readReferences(environment), generated }
}

export async function readReferences(environment: Environment): Promise<References> {
  const { SECRETS_DIR: secretsDir } = environment
  if (!secretsDir) return { environment }
  const { secrets } = await readDelivery({ secretsDir })
  return { environment, ...(secrets === undefined ? {} : { secrets }) }
}

export function variableState(name: string, { references, generated }: Surroundings): Variable['state'] {
  if ((lookUp(name, references) ?? '') === '') return 'unset'
  return generated.has(name) ? 'generated' : 'set'
}

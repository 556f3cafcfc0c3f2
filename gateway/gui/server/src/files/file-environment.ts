import { type Environment, type References, readDelivery } from '@llm-gateway/conf'
import { lookUp } from '@llm-gateway/conf/editor'
import type { Variable } from '@llm-gateway/gui-api'

/** The environment in which the references of a file are looked up. */
export type FileEnvironment = {
  readonly references: References
  /** Names of unset variables to which the supervisor gave random values that nobody can read. */
  readonly generated: ReadonlySet<string>
}

/** Reads the variables that lie in files anew each time. Rejects with a ConfError when they can't be read. */
export async function readFileEnvironment(environment: Environment): Promise<FileEnvironment> {
  const generated = new Set((environment.GENERATED_SECRETS ?? '').split(',').filter((name) => name !== ''))
  return { references: await readReferences(environment), generated }
}

export async function readReferences(environment: Environment): Promise<References> {
  const { SECRETS_DIR: secretsDir } = environment
  if (!secretsDir) return { environment }
  const { secrets } = await readDelivery({ secretsDir })
  return { environment, ...(secrets === undefined ? {} : { secrets }) }
}

export function variableState(name: string, { references, generated }: FileEnvironment): Variable['state'] {
  if ((lookUp(name, references) ?? '') === '') return 'unset'
  return generated.has(name) ? 'generated' : 'set'
}

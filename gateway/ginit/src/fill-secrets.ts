import { randomBytes } from 'node:crypto'

const FILLED = ['NATS_TOKEN', 'GUI_SECRET']
const SECRET_BYTES = 32

/** The environment with a random value for each of NATS_TOKEN and GUI_SECRET that is unset or empty (specification, authentication 4). */
export function fillSecrets(
  environment: NodeJS.ProcessEnv,
  random: (bytes: number) => Buffer = randomBytes,
): NodeJS.ProcessEnv {
  // An empty token would leave the bus open to everyone.
  const missing = FILLED.filter((name) => (environment[name] ?? '') === '')
  const filled = missing.map((name) => [name, random(SECRET_BYTES).toString('hex')] as const)
  return { ...environment, ...Object.fromEntries(filled) }
}

import { randomBytes } from 'node:crypto'

const FILLED = ['NATS_TOKEN', 'GUI_SECRET', 'BUS_LEAF_PASSWORD'] as const
const SECRET_BYTES = 32
const LEAF_ADDRESS = '127.0.0.1:7422'

/**
 * Returns the environment with a random value for each of NATS_TOKEN and GUI_SECRET that is unset or empty
 * (docs/reference/environment-variables.md#secrets-and-addresses), and with a password and an address for the two
 * servers of a bus with TLS. GENERATED_SECRETS names the generated secrets: no user knows them, so that the web
 * interface refuses every login.
 */
export function fillSecrets(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  // An empty token would leave the bus open to everyone.
  const missing = FILLED.filter((name) => (environment[name] ?? '') === '')
  const generated = Object.fromEntries(missing.map((name) => [name, randomBytes(SECRET_BYTES).toString('hex')]))
  const filled = { ...environment, ...generated }
  const leafUrl = `nats://leaf:${encodeURIComponent(filled.BUS_LEAF_PASSWORD ?? '')}@${LEAF_ADDRESS}`
  return { BUS_LEAF_URL: leafUrl, ...filled, GENERATED_SECRETS: missing.join(',') }
}

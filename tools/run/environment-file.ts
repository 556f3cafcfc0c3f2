import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'

export type Secrets = Readonly<Record<string, string>>

const NAMES = ['NATS_TOKEN', 'GUI_SECRET'] as const
const HEADER = '# Made by `make run`. Values of the environment take precedence. Delete the file to get new values.'

/**
 * Returns NATS_TOKEN and GUI_SECRET: from the environment, else from the file, else random values that are stored in
 * the file (mode 0600).
 */
export function ensureSecrets(file: string, environment: NodeJS.ProcessEnv): Secrets {
  const kept = readEnvironmentFile(file)
  const isSet = (name: string) => (environment[name] ?? '') !== ''
  const missing = NAMES.filter((name) => !isSet(name) && (kept[name] ?? '') === '')
  const made = Object.fromEntries(missing.map((name) => [name, randomBytes(32).toString('hex')]))
  const values: Secrets = { ...kept, ...made }
  if (missing.length > 0) writeEnvironmentFile(file, values)
  if (existsSync(file)) chmodSync(file, 0o600)
  return Object.fromEntries(NAMES.map((name) => [name, (isSet(name) ? environment[name] : values[name]) ?? '']))
}

/** Returns the environment with the file's values for variables that are unset or empty, as `make run` takes them. */
export function withKeptSecrets(file: string, environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(readEnvironmentFile(file)).filter(([name]) => (environment[name] ?? '') === '')
  return { ...environment, ...Object.fromEntries(kept) }
}

/** Reads the `NAME=value` lines of a file; none when the file doesn't exist. */
export function readEnvironmentFile(file: string): Secrets {
  if (!existsSync(file)) return {}
  const pairs = readFileSync(file, 'utf8').matchAll(/^([A-Z_]+)=(.*)$/gm)
  return Object.fromEntries([...pairs].map(([, name = '', value = '']) => [name, value]))
}

function writeEnvironmentFile(file: string, values: Secrets): void {
  const lines = Object.entries(values).map(([name, value]) => `${name}=${value}`)
  writeFileSync(file, `${[HEADER, ...lines].join('\n')}\n`, { mode: 0o600 })
}

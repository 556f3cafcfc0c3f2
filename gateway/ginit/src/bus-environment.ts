import { basename } from 'node:path'

/** What the shipped nats-server files refer to, also where they are commented out. */
const REFERENCED = /^(?:NATS_TOKEN|BUS_LEAF_PASSWORD|BUS_LEAF_URL|[A-Z]+_BUS_PASSWORD)$/
const ESCAPES: Readonly<Record<string, string>> = { '"': '\\"', '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** Whether the program of a service is the bus. */
export function isBus(file: string): boolean {
  return basename(file) === 'nats-server'
}

/**
 * The environment of nats-server, with its secrets quoted so that each stays the text that it is: nats-server reads the
 * value of `$NATS_TOKEN` with the parser of its file, to which `123456` is a number, `true` a boolean, `4k` 4096.
 * Quotes don't change that a token which begins with `$2a$` is one of its bcrypt hashes.
 */
export function busEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const quoted = Object.entries(environment)
    .filter(([name]) => REFERENCED.test(name))
    .map(([name, value = '']) => [name, quote(value)] as const)
  return { ...environment, ...Object.fromEntries(quoted) }
}

function quote(value: string): string {
  return `"${value.replace(/["\\\n\r\t]/g, (character) => ESCAPES[character] ?? character)}"`
}

import { basename } from 'node:path'
import type { Environment } from '../env-reference.ts'

/** Variables that the shipped nats-server files refer to, also in lines that are commented out. */
const REFERENCED = /^(?:NATS_TOKEN|BUS_LEAF_PASSWORD|BUS_LEAF_URL|[A-Z]+_BUS_PASSWORD)$/
const ESCAPES: Readonly<Record<string, string>> = { '"': '\\"', '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** Returns true where the program of a service is the bus. */
export function isBus(file: string): boolean {
  return basename(file) === 'nats-server'
}

/**
 * Returns the environment of nats-server with its secrets quoted, so that each stays text: nats-server parses the value
 * of `$NATS_TOKEN` like its file, where `123456` is a number, `true` a boolean and `4k` 4096. A token that begins with
 * `$2a$` is a bcrypt hash to nats-server, quoted too.
 */
export function busEnvironment(environment: Environment): Environment {
  const quoted = Object.entries(environment)
    .filter(([name]) => REFERENCED.test(name))
    .map(([name, value = '']) => [name, quote(value)] as const)
  return { ...environment, ...Object.fromEntries(quoted) }
}

function quote(value: string): string {
  return `"${value.replace(/["\\\n\r\t]/g, (character) => ESCAPES[character] ?? character)}"`
}

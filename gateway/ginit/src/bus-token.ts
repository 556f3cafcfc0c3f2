import { basename } from 'node:path'

const ESCAPES: Readonly<Record<string, string>> = { '"': '\\"', '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/**
 * The value of an environment variable as nats-server's own parser must find it, so that it stays the same text.
 * nats-server reads the value of `$NATS_TOKEN` with the parser of its file: `123456` would be a number, `true` a boolean,
 * `4k` 4096. A token that begins with `$2a$` stays one of its bcrypt hashes: quotes don't change that.
 */
function quoteForBus(value: string): string {
  return `"${value.replace(/["\\\n\r\t]/g, (character) => ESCAPES[character] ?? character)}"`
}

/** The environment of a service: nats-server gets its token quoted, everyone else as it is. */
export function environmentFor(program: string, environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const token = environment.NATS_TOKEN
  const isBus = basename(program) === 'nats-server'
  return isBus && token !== undefined ? { ...environment, NATS_TOKEN: quoteForBus(token) } : environment
}

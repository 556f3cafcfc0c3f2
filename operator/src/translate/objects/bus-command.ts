import type { LlmGateway } from '@llm-gateway/crds'
import type { Snapshot } from '../../model/snapshot.ts'
import { readKey } from '../variables/read-key.ts'
import { busKeys } from './template-keys.ts'

/** How a bus starts, and its environment beside BUS_TOKEN. */
export type BusStart = {
  readonly command: readonly string[]
  readonly env: readonly { readonly name: string; readonly value: string }[]
}

const SERVER = '/usr/bin/nats-server'
/** Of a route's URL and of a quoted text in the server's file: what stands for itself in both. */
const PLAIN = /^[\w.~!$&'()*+,;=:@-]*$/
/** Stands in a route for the token, as a URL has it. */
const MARK = '{token}'

/**
 * Puts a token of other characters where the server reads it, and becomes the server. The kubelet can join texts and encode
 * none. JSON's escapes are the server's too; those of control characters no token can have.
 */
const ENCODE = `
const { env } = process
env.NATS_TOKEN = JSON.stringify(env.BUS_TOKEN)
for (const name of Object.keys(env)) {
  if (name.startsWith('ROUTE_')) env[name] = env[name].replace('${MARK}', () => encodeURIComponent(env.BUS_TOKEN))
}
process.execve(process.argv[1], process.argv.slice(1), env)
`

/** Tokens that a bus could always start with do so as before: another template would start it anew. */
export function hasPlainToken(gateway: LlmGateway, sources: Snapshot['sources']): boolean {
  const [key] = busKeys(gateway)
  const reading = key && readKey(key, sources)
  return reading?.kind !== 'value' || PLAIN.test(reading.text)
}

/** @param hosts of the routes to the servers of a cluster; none: there is one server */
export function busStart(isPlain: boolean, file: string, hosts: readonly string[]): BusStart {
  const token = isPlain ? '$(BUS_TOKEN)' : MARK
  const routes = hosts.map((host, index) => ({ name: `ROUTE_${index}`, value: `"nats://route:${token}@${host}"` }))
  const server = [SERVER, '-c', file]
  if (!isPlain) return { command: ['node', '-e', ENCODE, ...server], env: routes }
  // Quoted: the server's parser takes 123456, true or 4k for something else than a text.
  return { command: server, env: [{ name: 'NATS_TOKEN', value: '"$(BUS_TOKEN)"' }, ...routes] }
}

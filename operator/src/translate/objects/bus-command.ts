import type { V1EnvVar } from '@kubernetes/client-node'
import type { LlmGateway } from '@llm-gateway/crds'
import type { JsonOf } from '../../model/manifest.ts'
import type { Snapshot } from '../../model/snapshot.ts'
import { readKey } from '../variables/read-key.ts'
import { busKeys } from './template-keys.ts'

/** The command of a bus, and its environment beside BUS_TOKEN. */
export type BusStart = {
  readonly command: readonly string[]
  readonly env: readonly JsonOf<V1EnvVar>[]
}

const SERVER = '/usr/bin/nats-server'
/** Characters that need no escape in a route's URL and in a quoted text of the server's file. */
const PLAIN = /^[\w.~!$&'()*+,;=:@-]*$/
/** Marks the place of the URL-encoded token in a route. */
const MARK = '{token}'

/**
 * Encodes the token in the container, then becomes the server: the kubelet can join texts but not encode them. The
 * server reads all escapes of JSON except those of control characters, which no token has.
 */
const ENCODE = `
const { env } = process
env.NATS_TOKEN = JSON.stringify(env.BUS_TOKEN)
for (const name of Object.keys(env)) {
  if (name.startsWith('ROUTE_')) env[name] = env[name].replace('${MARK}', () => encodeURIComponent(env.BUS_TOKEN))
}
process.execve(process.argv[1], process.argv.slice(1), env)
`

/**
 * Returns whether a bus can start with its token unencoded. Such buses keep their command, since another template would
 * restart them.
 */
export function hasPlainToken(gateway: LlmGateway, sources: Snapshot['sources']): boolean {
  const [key] = busKeys(gateway)
  const reading = key && readKey(key, sources)
  return reading?.kind !== 'value' || PLAIN.test(reading.text)
}

/** @param hosts the servers of a cluster, one for each route; empty: there is a single server */
export function busStart(isPlain: boolean, file: string, hosts: readonly string[]): BusStart {
  const token = isPlain ? '$(BUS_TOKEN)' : MARK
  const routes = hosts.map((host, index) => ({ name: `ROUTE_${index}`, value: `"nats://route:${token}@${host}"` }))
  const server = [SERVER, '-c', file]
  if (!isPlain) return { command: ['node', '-e', ENCODE, ...server], env: routes }
  // Quoted, since the server's parser reads 123456, true or 4k as something other than a text.
  return { command: server, env: [{ name: 'NATS_TOKEN', value: '"$(BUS_TOKEN)"' }, ...routes] }
}

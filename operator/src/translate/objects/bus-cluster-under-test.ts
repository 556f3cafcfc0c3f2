import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { LlmGateway } from '@llm-gateway/crds'
import { listAt, valueAt } from '@llm-gateway/kube'
import { freePort } from '@llm-gateway/test/fake/free-port'
import { NATS_SERVER_BINARY } from '@llm-gateway/test/fake/nats-server'
import { type Program, startProgram } from '@llm-gateway/test/fake/program'
import { decodeGateway } from '../../kube/decode-resource.ts'
import { type Snapshot, sourceKey } from '../../model/snapshot.ts'
import { hasPlainToken } from './bus-command.ts'
import { busObjects } from './bus-objects.ts'

export const TOKEN = 'a1b2c3'
const SERVERS = [0, 1, 2] as const

export type Server = { readonly port: number; readonly monitor: number; start(): Promise<void>; kill(): Promise<void> }

/** Makes a gateway whose bus has three servers on claims. */
export function clusteredGateway(): LlmGateway {
  const metadata = {
    name: 'main',
    namespace: 'llm',
    uid: 'u',
    generation: 1,
    creationTimestamp: '2026-11-21T01:00:00Z',
  }
  const managed = { replicas: 3, storage: { claim: { size: '1Gi' } } }
  const gateway = decodeGateway({ metadata, spec: { bus: { managed } } })
  assert.ok(gateway)
  return gateway
}

/** Makes servers with the rendered file and environment, with this machine's ports and folders in place of a pod's. */
export async function renderedServers(folder: string, token = TOKEN): Promise<readonly Server[]> {
  const gateway = clusteredGateway()
  const objects = busObjects(
    gateway,
    { image: 'i', annotations: {} },
    hasPlainToken(namedToken(gateway), sourcesOf(token)),
  )
  const text = String(
    valueAt(
      objects.find(({ kind }) => kind === 'ConfigMap'),
      'data',
      'nats-server.conf',
    ),
  )
  const set = objects.find(({ kind }) => kind === 'StatefulSet')
  const [container] = listAt(valueAt(set, 'spec', 'template', 'spec'), 'containers')
  const routes = await Promise.all(SERVERS.map(() => freePort()))
  return Promise.all(
    SERVERS.map(async (index) => {
      const [port, monitor] = [await freePort(), await freePort()]
      const directory = join(folder, String(index))
      await mkdir(directory)
      const file = join(directory, 'nats-server.conf')
      const places: readonly (readonly [string, string])[] = [
        ['0.0.0.0:4222', `127.0.0.1:${port}`],
        ['127.0.0.1:8222', `127.0.0.1:${monitor}`],
        ['0.0.0.0:6222', `127.0.0.1:${routes[index]}`],
        ['"/data"', JSON.stringify(join(directory, 'data'))],
      ]
      await writeFile(file, replaced(text, places))
      const variables = listAt(container, 'env').map((variable) => [
        valueAt(variable, 'name'),
        valueAt(variable, 'value'),
      ])
      const hosts = SERVERS.map(
        (server) => [`main-bus-${server}.main-bus-peers.llm.svc:6222`, `127.0.0.1:${routes[server]}`] as const,
      )
      const environment = Object.fromEntries(
        variables.map(([name, value]) => {
          const host = hosts.find(([from]) => String(value).includes(from))
          const filled = String(value)
            .replace('$(BUS_TOKEN)', () => token)
            .replace('$(POD_NAME)', `main-bus-${index}`)
          return [String(name), host === undefined ? filled : filled.replace(...host)]
        }),
      )
      assert.equal(Object.values(environment).filter((value) => value.includes('$(')).length, 0)
      const [command = '', ...args] = listAt(container, 'command').map((part) => {
        return String(part)
          .replace(/^node$/, process.execPath)
          .replace(/^\/usr\/bin\/nats-server$/, NATS_SERVER_BINARY)
          .replace(/^\/etc\/nats\/.*/, () => file)
      })
      let program: Program | undefined
      return {
        port,
        monitor,
        start: async () => {
          program = await startProgram({ command, args, environment: { ...environment, BUS_TOKEN: token } })
        },
        kill: async () => {
          program?.kill('SIGKILL')
          await program?.exited
        },
      }
    }),
  )
}

/** Makes the gateway name a Secret for its bus. */
export function namedToken(gateway: LlmGateway): LlmGateway {
  return {
    ...gateway,
    spec: { ...gateway.spec, bus: { ...gateway.spec.bus, tokenSecretRef: { name: 'nats', key: 'token' } } },
  }
}

/** Returns the sources with that Secret. */
export function sourcesOf(token: string): Snapshot['sources'] {
  const source = { kind: 'found', type: 'Opaque', values: new Map([['token', token]]) } as const
  return new Map([[sourceKey('llm', 'Secret', 'nats'), source]])
}

function replaced(text: string, places: readonly (readonly [string, string])[]): string {
  return places.reduce((before, [from, to]) => {
    assert.ok(before.includes(from), from)
    return before.replace(from, to)
  }, text)
}

export async function untilHealthy(servers: readonly Server[]): Promise<void> {
  for (const { monitor } of servers) {
    const end = performance.now() + 60_000
    while (!(await isHealthy(monitor))) {
      assert.ok(performance.now() < end, `the server at ${monitor} is not healthy`)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}

async function isHealthy(monitor: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${monitor}/healthz`)).ok
  } catch (error) {
    if (error instanceof TypeError) return false
    throw error
  }
}

import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { connectBusClient } from '@llm-gateway/test/fake/bus-client'
import { freePort } from '@llm-gateway/test/fake/free-port'
import { NATS_SERVER_BINARY } from '@llm-gateway/test/fake/nats-server'
import { type Program, startProgram } from '@llm-gateway/test/fake/program'
import { temporaryFolder } from '@llm-gateway/test/fake/temporary-folder'
import { decodeGateway } from '../../kube/decode-resource.ts'
import { listAt, valueAt } from '../../kube/json-value.ts'
import { busObjects } from './bus-objects.ts'

const TOKEN = 'a1b2c3'
const SERVERS = [0, 1, 2] as const

type Server = { readonly port: number; readonly monitor: number; start(): Promise<void>; kill(): Promise<void> }

/** The file and the environment that the operator renders, with this machine's ports and folders in the place of a pod's. */
async function renderedServers(folder: string): Promise<readonly Server[]> {
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
  const objects = busObjects(gateway, { image: 'i', annotations: {} })
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
      const variables = listAt(container, 'env').map((one) => [valueAt(one, 'name'), valueAt(one, 'value')])
      const hosts = SERVERS.map(
        (one) => [`main-bus-${one}.main-bus-peers.llm.svc:6222`, `127.0.0.1:${routes[one]}`] as const,
      )
      const environment = Object.fromEntries(
        variables.map(([name, value]) => {
          const host = hosts.find(([from]) => String(value).includes(from))
          const filled = String(value).replace('$(BUS_TOKEN)', TOKEN).replace('$(POD_NAME)', `main-bus-${index}`)
          return [String(name), host === undefined ? filled : filled.replace(...host)]
        }),
      )
      assert.equal(Object.values(environment).filter((value) => value.includes('$(')).length, 0)
      let program: Program | undefined
      return {
        port,
        monitor,
        start: async () => {
          program = await startProgram({ command: NATS_SERVER_BINARY, args: ['-c', file], environment })
        },
        kill: async () => {
          program?.kill('SIGKILL')
          await program?.exited
        },
      }
    }),
  )
}

function replaced(text: string, places: readonly (readonly [string, string])[]): string {
  return places.reduce((before, [from, to]) => {
    assert.ok(before.includes(from), from)
    return before.replace(from, to)
  }, text)
}

async function untilHealthy(servers: readonly Server[]): Promise<void> {
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

test('issue 15: three servers of the rendered files lose no acknowledged record while each is killed in turn', async () => {
  await using folder = await temporaryFolder()
  const servers = await renderedServers(folder.path)
  try {
    await Promise.all(servers.map((server) => server.start()))
    await untilHealthy(servers)
    const address = servers.map(({ port }) => `127.0.0.1:${port}`)[0] ?? ''
    await using client = await connectBusClient({ address, token: TOKEN })
    const ask = async (
      subject: string,
      body: object,
    ): Promise<{ error?: object; seq?: number; message?: { data: string } }> =>
      JSON.parse(Buffer.from(await client.request(subject, Buffer.from(JSON.stringify(body)), 5_000)).toString())
    const config = { name: 'records_llm', subjects: ['llm.gl.logger'], num_replicas: 3, storage: 'file' }
    for (;;) {
      const made = await ask('$JS.API.STREAM.CREATE.records_llm', config).catch(() => ({ error: {} }))
      if (made.error === undefined) break
    }
    const acknowledged: number[] = []
    let serial = 0
    const publish = async (): Promise<void> => {
      serial += 1
      const answer = await ask('llm.gl.logger', { serial }).catch(() => undefined)
      if (answer?.seq !== undefined && answer.error === undefined) acknowledged.push(serial)
    }
    for (const server of servers) {
      for (let count = 0; count < 20; count += 1) await publish()
      await server.kill()
      const before = acknowledged.length
      while (acknowledged.length < before + 20) await publish()
      await server.start()
      await untilHealthy(servers)
    }
    const stored = new Set<number>()
    for (let seq = 1; ; seq += 1) {
      const { message, error } = await ask('$JS.API.STREAM.MSG.GET.records_llm', { seq })
      if (error !== undefined) break
      stored.add(JSON.parse(Buffer.from(message?.data ?? '', 'base64').toString()).serial)
    }
    assert.ok(acknowledged.length >= 120)
    assert.deepEqual(
      acknowledged.filter((one) => !stored.has(one)),
      [],
    )
  } finally {
    await Promise.all(servers.map((server) => server.kill()))
  }
})

test('a stranger without the token opens no route', async () => {
  await using folder = await temporaryFolder()
  const [first] = await renderedServers(folder.path)
  assert.ok(first)
  await first.start()
  try {
    const stranger = join(folder.path, 'stranger.conf')
    while (!(await fetch(`http://127.0.0.1:${first.monitor}/routez`).catch(() => undefined))) {
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    const monitored = async (path: string): Promise<unknown> =>
      (await fetch(`http://127.0.0.1:${first.monitor}${path}`)).json()
    const routePort = valueAt(await monitored('/varz'), 'cluster', 'cluster_port')
    const route = `nats://route:wrong@127.0.0.1:${routePort}`
    await writeFile(
      stranger,
      `listen: "127.0.0.1:-1"\ncluster { name: "main-bus", listen: "127.0.0.1:-1", routes: ["${route}"] }\n`,
    )
    await using program = await startProgram({ command: NATS_SERVER_BINARY, args: ['-c', stranger] })
    await program.lines.waitFor((line) => /Authorization Violation|authorization violation/i.test(line))
    assert.equal(valueAt(await monitored('/routez'), 'num_routes'), 0)
  } finally {
    await first.kill()
  }
})

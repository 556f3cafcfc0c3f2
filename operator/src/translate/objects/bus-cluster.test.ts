import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { valueAt } from '@llm-gateway/kube'
import { connectBusClient } from '@llm-gateway/test/fake/bus-client'
import { NATS_SERVER_BINARY } from '@llm-gateway/test/fake/nats-server'
import { startProgram } from '@llm-gateway/test/fake/program'
import { temporaryFolder } from '@llm-gateway/test/fake/temporary-folder'
import {
  clusteredGateway,
  namedToken,
  renderedServers,
  sourcesOf,
  TOKEN,
  untilHealthy,
} from './bus-cluster-under-test.ts'
import { busStart, hasPlainToken } from './bus-command.ts'

test('three servers of the rendered files lose no acknowledged record while each is killed in turn', async () => {
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
    // Twenty records were published while each server was away; some of the others may have met an election.
    assert.ok(acknowledged.length >= 60)
    assert.deepEqual(
      acknowledged.filter((record) => !stored.has(record)),
      [],
    )
  } finally {
    await Promise.all(servers.map((server) => server.kill()))
  }
})

test('a token of any characters opens the routes, and the bus to those who know it', async () => {
  await using folder = await temporaryFolder()
  const token = `p/w?d#1 "quoted" back\\slash 100%2F [x] $& ä`
  const servers = await renderedServers(folder.path, token)
  try {
    await Promise.all(servers.map((server) => server.start()))
    // A server is healthy once it has found the others.
    await untilHealthy(servers)
    for (const { port } of servers) {
      await using client = await connectBusClient({ address: `127.0.0.1:${port}`, token })
      const account = JSON.parse(Buffer.from(await client.request('$JS.API.INFO', new Uint8Array(), 5_000)).toString())
      assert.equal(account.error, undefined)
    }
  } finally {
    await Promise.all(servers.map((server) => server.kill()))
  }
})

test('a token without characters that a route must escape leaves the template unchanged', async () => {
  const start = busStart(true, 'f', ['h:1'])
  assert.deepEqual(start.command, ['/usr/bin/nats-server', '-c', 'f'])
  assert.deepEqual(start.env.at(-1), { name: 'ROUTE_0', value: '"nats://route:$(BUS_TOKEN)@h:1"' })
  for (const [token, isPlain] of [
    ["aZ09.~_-!$&'()*+,;=:@", true],
    ['a/b', false],
    ['a b', false],
    ['a"b', false],
    ['a%41', false],
  ] as const) {
    assert.equal(hasPlainToken(namedToken(clusteredGateway()), sourcesOf(token)), isPlain, token)
  }
  assert.equal(hasPlainToken(clusteredGateway(), new Map()), true)
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
    const askMonitor = async (path: string): Promise<unknown> =>
      (await fetch(`http://127.0.0.1:${first.monitor}${path}`)).json()
    const routePort = valueAt(await askMonitor('/varz'), 'cluster', 'cluster_port')
    const route = `nats://route:wrong@127.0.0.1:${routePort}`
    await writeFile(
      stranger,
      `listen: "127.0.0.1:-1"\ncluster { name: "main-bus", listen: "127.0.0.1:-1", routes: ["${route}"] }\n`,
    )
    await using program = await startProgram({ command: NATS_SERVER_BINARY, args: ['-c', stranger] })
    await program.lines.waitFor((line) => /Authorization Violation|authorization violation/i.test(line))
    assert.equal(valueAt(await askMonitor('/routez'), 'num_routes'), 0)
  } finally {
    await first.kill()
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { numberAt } from '@llm-gateway/kube'
import { type BusClient, connectBusClient } from '@llm-gateway/test/fake/bus-client'
import { Journal } from '@llm-gateway/test/fake/journal'
import { temporaryFolder } from '@llm-gateway/test/fake/temporary-folder'
import { clusteredGateway, renderedServers, TOKEN, untilHealthy } from '../translate/objects/bus-cluster-under-test.ts'
import { createStreamCopies, type StreamCopies } from './stream-copies.ts'

type CopiesScene = {
  readonly copies: StreamCopies
  readonly logged: Journal<object>
  readonly changed: Journal<string>
  pass(): void
}

function copiesAt(address: string, token: string): CopiesScene {
  const logged = new Journal<object>()
  const changed = new Journal<string>()
  const object = { data: { token: Buffer.from(token).toString('base64') } }
  const write = (fields: object, msg: string): void => logged.add({ msg, ...fields })
  let now = 1
  const copies = createStreamCopies({
    client: { get: async () => ({ kind: 'written', object }) },
    logger: { info: write, warn: write },
    changed: (key) => changed.add(key),
    addressOf: () => address,
    now: () => now,
  })
  return { copies, logged, changed, pass: () => (now += 30_000) }
}

async function ask(client: BusClient, subject: string, body: object = {}): Promise<unknown> {
  return JSON.parse(Buffer.from(await client.request(subject, Buffer.from(JSON.stringify(body)), 5_000)).toString())
}

test('a stream with one replica on a bus of three servers gets three replicas with every record; a missing stream and a lost bus are logged', async () => {
  await using folder = await temporaryFolder()
  const servers = await renderedServers(folder.path)
  try {
    await Promise.all(servers.map((server) => server.start()))
    await untilHealthy(servers)
    const address = `127.0.0.1:${servers[0]?.port}`
    await using client = await connectBusClient({ address, token: TOKEN })
    const { copies, logged, changed, pass } = copiesAt(address, TOKEN)
    assert.equal(copies.of(clusteredGateway()), undefined)
    await logged.waitFor((line) => 'code' in line && line.code === 'STORE_10059')
    const config = { name: 'records_llm', subjects: ['llm.gl.logger'], max_age: 7_000_000_000_000 }
    while (numberAt(await ask(client, '$JS.API.STREAM.CREATE.records_llm', config), 'config', 'num_replicas') !== 1)
      assert.ok(true)
    for (let serial = 0; serial < 50; serial += 1) await ask(client, 'llm.gl.logger', { serial })
    pass()
    copies.of(clusteredGateway())
    await changed.waitFor((key) => key === 'llm/main')
    assert.equal(copies.of(clusteredGateway()), 3)
    const stream = await ask(client, '$JS.API.STREAM.INFO.records_llm')
    assert.equal(numberAt(stream, 'config', 'num_replicas'), 3)
    assert.equal(numberAt(stream, 'state', 'messages'), 50)
    assert.equal(numberAt(stream, 'config', 'max_age'), 7_000_000_000_000)
    await Promise.all(servers.map((server) => server.kill()))
    for (let count = 0; count < 21; count += 1) pass()
    copies.of(clusteredGateway())
    await changed.waitForCount(2)
    const numbers = logged.entries.filter((line) => !('code' in line)).map((line) => numberAt(line, 'copies'))
    assert.deepEqual(numbers, [3])
  } finally {
    await Promise.all(servers.map((server) => server.kill()))
  }
})

test('a bus that is away is asked again, and nobody waits for it', async () => {
  const { copies, logged } = copiesAt('127.0.0.1:1', TOKEN)
  assert.equal(copies.of(clusteredGateway()), undefined)
  await logged.waitFor((line) => 'code' in line && line.code === 'ECONNREFUSED')
})

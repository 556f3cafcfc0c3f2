import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { connectBusClient } from '@llm-gateway/test/fake/bus-client'
import { freePort } from '@llm-gateway/test/fake/free-port'
import { mountedFolder } from '@llm-gateway/test/fake/mounted-folder'
import { superviseBus } from './supervised-bus-under-test.ts'

const MIB = 1024 * 1024

test('a bus on a full disk keeps serving calls, and is restarted once the disk has room', async (t) => {
  await using disk = await mountedFolder('size=120m')
  if (disk === undefined) return t.skip('this process may not mount a file system')
  const [bus, gl] = [join(disk.path, 'nats-server.conf'), join(disk.path, 'gl_config.json')]
  const address = `127.0.0.1:${await freePort()}`
  writeFileSync(
    bus,
    `listen: "${address}"\nhttp: "127.0.0.1:-1"\nauthorization { token: $NATS_TOKEN }\nmax_payload: 32MB\nmax_pending: 256MB
jetstream { store_dir: "${disk.path}/bus", max_file: 40MB }\n`,
  )
  writeFileSync(gl, JSON.stringify({ service_bus: { hostname: address } }))
  const pace = { intervalMs: 50, failures: 2, timeoutMs: 1_000 }
  await using supervised = await superviseBus({ bus, gl, maxStarts: 1, pace })
  const { log } = supervised
  await log.waitFor(({ msg }) => msg === 'all services healthy')
  await using client = await connectBusClient({ address, token: '123456' })
  await using processor = await connectBusClient({ address, token: '123456' })
  await using caller = await connectBusClient({ address, token: '123456' })
  await processor.subscribe('llm.gl.echo', (message) => message.reply(message.bytes))
  const made = { name: 'records_llm', subjects: ['llm.gl.logger'], max_bytes: 32 * MIB }
  await client.request('$JS.API.STREAM.CREATE.records_llm', Buffer.from(JSON.stringify(made)))
  const isStored = async (): Promise<boolean> => {
    const answer = await client.request('llm.gl.logger', Buffer.alloc(MIB, 'x'), 2_000).catch(() => undefined)
    return answer !== undefined && JSON.parse(Buffer.from(answer).toString()).error === undefined
  }
  // The watch must have seen both streams to judge.
  await waitForLife(client)
  writeFileSync(join(disk.path, 'others'), Buffer.alloc(114 * MIB))
  while (await isStored()) assert.ok(true)
  await log.waitFor(({ msg }) => msg.startsWith('disk of the bus is full'))
  assert.ok(log.entries.some(({ msg }) => msg.startsWith('bus stores no records')))
  assert.equal(Buffer.from(await caller.request('llm.gl.echo', Buffer.from('hi'))).toString(), 'hi')
  assert.ok(!log.entries.some(({ msg }) => msg.startsWith('restarting the bus')))
  rmSync(join(disk.path, 'others'))
  await log.waitFor(({ msg }) => msg === 'bus stores records again')
  assert.ok(log.entries.some(({ msg }) => msg.startsWith('restarting the bus')))
  while (!(await isStored())) assert.ok(true)
  assert.equal(Buffer.from(await caller.request('llm.gl.echo', Buffer.from('hi'))).toString(), 'hi')
})

async function waitForLife(client: {
  request(subject: string, bytes: Uint8Array): Promise<Uint8Array>
}): Promise<void> {
  for (;;) {
    const answer = await client.request('$JS.API.STREAM.INFO.life_llm', Buffer.alloc(0))
    if ((JSON.parse(Buffer.from(answer).toString()).state?.last_seq ?? 0) >= 3) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

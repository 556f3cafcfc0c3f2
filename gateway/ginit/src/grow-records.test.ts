import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { busOptions, connectBus } from '@llm-gateway/sdk/bus-liveness'
import { type BusClient, connectBusClient } from '@llm-gateway/test/fake/bus-client'
import { freePort } from '@llm-gateway/test/fake/free-port'
import { startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { temporaryFolder } from '@llm-gateway/test/fake/temporary-folder'
import { growRecords } from './grow-records.ts'
import { superviseBus } from './supervised-bus-under-test.ts'

const MIB = 1024 * 1024
const STREAM = { name: 'records_llm', subjects: ['llm.gl.logger'], max_bytes: 28 * MIB, max_age: 7_000_000_000_000 }

test('a larger max_file enlarges the stream of records and keeps its records and settings; a smaller one changes nothing', async () => {
  await using folder = await temporaryFolder()
  const [bus, gl] = [join(folder.path, 'nats-server.conf'), join(folder.path, 'gl_config.json')]
  const address = `127.0.0.1:${await freePort()}`
  const write = (mebibytes: number): void =>
    writeFileSync(
      bus,
      `listen: "${address}"\nhttp: "127.0.0.1:-1"\nauthorization { token: $NATS_TOKEN }
jetstream { store_dir: "${folder.path}/bus", max_file: ${mebibytes}MB }\n`,
    )
  write(40)
  writeFileSync(gl, JSON.stringify({ service_bus: { hostname: address } }))
  const pace = { intervalMs: 50, failures: 1_000, timeoutMs: 5_000 }
  await using supervised = await superviseBus({ bus, gl, maxStarts: 9, pace })
  const { log, restart } = supervised
  await log.waitFor(({ msg }) => msg === 'all services healthy')
  await using first = await clientOf(address)
  assert.equal((await ask(first, '$JS.API.STREAM.CREATE.records_llm', STREAM)).error, undefined)
  assert.ok((await ask(first, 'llm.gl.logger', {})).seq)
  write(200)
  await restart('nats-server')
  const { to = 0 } = await log.waitFor(({ msg }) => msg === 'stream of records was enlarged to fit the larger store')
  assert.ok(to > 139 * MIB && to <= 140 * MIB, `${to}`)
  await using second = await clientOf(address)
  const larger = await ask(second, '$JS.API.STREAM.INFO.records_llm', {})
  assert.deepEqual(sizeOf(larger), { max_bytes: to, max_age: STREAM.max_age, messages: 1 })
  // A start without a change logs nothing; a third start with more room shows that the second was checked.
  write(180)
  await restart('nats-server')
  await using third = await clientOf(address)
  await untilProbed(third)
  write(400)
  await restart('nats-server')
  await log.waitFor((line) => line.msg === 'stream of records was enlarged to fit the larger store' && line.to !== to)
  const sizes = log.entries.filter(({ msg }) => msg.startsWith('stream of records'))
  assert.equal(sizes.length, 2, JSON.stringify(sizes))
})

test('a refused change is reported with its code; a missing or unlimited stream is left alone', async (t) => {
  const extra = `authorization { users: [{ user: a, password: a },
  { user: b, password: b, permissions: { publish: { deny: "$JS.API.STREAM.UPDATE.>" } } }] }`
  await using server = await startNatsServer({ jetstream: true, token: undefined, extra })
  const as = async (name: string) => {
    const options = busOptions({ GATEWAY_HOST: server.address, NATS_USER: name, NATS_PASSWORD: name })
    const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }
    const bus = options && (await connectBus({ ...options, name, logger: silent }))
    assert.ok(bus)
    t.after(() => bus.close())
    return bus
  }
  const [full, less] = [await as('a'), await as('b')]
  const size = { maxBytes: 200 * MIB, reservedBytes: 28 * MIB }
  const stream = 'records_llm'
  assert.deepEqual(await growRecords({ bus: full, stream, size }), { kind: 'unchanged' })
  await using client = await connectBusClient({
    address: server.address,
    token: undefined,
    user: { name: 'a', password: 'a' },
  })
  await ask(client, '$JS.API.STREAM.CREATE.records_llm', STREAM)
  const sizes = { from: 28 * MIB, to: 140 * MIB }
  assert.deepEqual(await growRecords({ bus: less, stream, size }), { kind: 'refused', code: 'NOT_ALLOWED', ...sizes })
  const huge = { maxBytes: Number.MAX_SAFE_INTEGER, reservedBytes: 0 }
  const refused = await growRecords({ bus: full, stream, size: huge })
  assert.deepEqual([refused.kind, 'code' in refused && refused.code], ['refused', 'STORE_10047'])
  assert.equal(sizeOf(await ask(client, '$JS.API.STREAM.INFO.records_llm', {})).max_bytes, 28 * MIB)
  assert.deepEqual(await growRecords({ bus: full, stream, size }), { kind: 'grown', ...sizes })
  assert.deepEqual(await growRecords({ bus: full, stream, size }), {
    kind: 'grown',
    from: 140 * MIB,
    to: Math.floor(0.7 * 312 * MIB),
  })
  await ask(client, '$JS.API.STREAM.CREATE.free', { name: 'free', subjects: ['free'] })
  assert.deepEqual(await growRecords({ bus: full, stream: 'free', size }), { kind: 'unchanged' })
})

/** Retries, since the bus may be about to start. */
async function clientOf(address: string): Promise<BusClient & AsyncDisposable> {
  for (const end = performance.now() + 60_000; ; ) {
    const client = await connectBusClient({ address, token: '123456' }).catch(() => undefined)
    if (client !== undefined) return client
    assert.ok(performance.now() < end)
  }
}

async function ask(bus: BusClient, subject: string, body: object): Promise<Record<string, unknown>> {
  return JSON.parse(Buffer.from(await bus.request(subject, Buffer.from(JSON.stringify(body)), 60_000)).toString())
}

function sizeOf(info: object): { readonly max_bytes: number; readonly max_age: number; readonly messages: number } {
  const { config, state } = JSON.parse(JSON.stringify(info))
  return { max_bytes: config.max_bytes, max_age: config.max_age, messages: state.messages }
}

/** Waits until the supervisor has probed this start of the bus twice. */
async function untilProbed(bus: BusClient): Promise<void> {
  const sequence = async (): Promise<number> => {
    const { state } = JSON.parse(JSON.stringify(await ask(bus, '$JS.API.STREAM.INFO.life_llm', {})))
    return state.last_seq
  }
  const end = performance.now() + 60_000
  for (const before = await sequence(); (await sequence()) < before + 3; ) assert.ok(performance.now() < end)
}

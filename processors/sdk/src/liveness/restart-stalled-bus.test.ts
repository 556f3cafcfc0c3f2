import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { connectBusClient, type BusClient as Outside } from '@llm-gateway/test/fake/bus-client'
import { freePort } from '@llm-gateway/test/fake/free-port'
import { Journal } from '@llm-gateway/test/fake/journal'
import { mountedFolder } from '@llm-gateway/test/fake/mounted-folder'
import { type NatsServer, startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { busOptions } from '../bus/bus-options.ts'
import { connectBus } from '../bus/nats-bus.ts'
import { journalLogger } from '../program/journal-logger-under-test.ts'
import { checkDiskRoom, type DiskRoom } from './disk-room.ts'
import { LivenessProbe } from './liveness-probe.ts'
import { monitoredStore, probeBus } from './probe-bus.ts'
import { restartStalledBus, type StallEvent } from './restart-stalled-bus.ts'

const MIB = 1024 * 1024

type Watched = AsyncDisposable & { readonly news: Journal<StallEvent>; readonly restarts: () => number }

async function watch(server: NatsServer, monitor: URL): Promise<Watched> {
  const stop = new AbortController()
  const { logger } = journalLogger()
  const options = busOptions({ GATEWAY_HOST: server.address, NATS_TOKEN: server.token })
  assert.ok(options)
  const bus = await connectBus({ ...options, name: 'life', logger, signal: stop.signal })
  const liveness = new LivenessProbe({ subject: 'llm.gl.logger', bus: () => bus, timeoutMs: 1_000 })
  const store = await monitoredStore(monitor)
  assert.ok(store)
  const news = new Journal<StallEvent>()
  let restarts = 0
  const ended = restartStalledBus({
    probe: () => probeBus(liveness, monitor),
    room: () => checkDiskRoom(store),
    restart: async () => {
      restarts += 1
      await server.kill('SIGKILL')
      await server.restart()
    },
    notify: (entry) => news.add(entry),
    signal: stop.signal,
    now: () => performance.now(),
    intervalMs: 50,
    failures: 2,
  })
  return {
    news,
    restarts: () => restarts,
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await ended
      await bus?.close()
    },
  }
}

async function makeRecordStream(outside: Outside): Promise<void> {
  const config = { name: 'records_llm', subjects: ['llm.gl.logger'], max_bytes: 32 * MIB }
  await outside.request('$JS.API.STREAM.CREATE.records_llm', Buffer.from(JSON.stringify(config)))
}

async function isStored(outside: Outside, bytes: number): Promise<boolean> {
  try {
    const answer = await outside.request('llm.gl.logger', Buffer.alloc(bytes, 'x'), 2_000)
    return JSON.parse(Buffer.from(answer).toString()).error === undefined
  } catch (error) {
    if (error instanceof Error) return false
    throw error
  }
}

test('a bus on a full disk is reported and left running, and restarted once there is room', async (t) => {
  await using disk = await mountedFolder('size=100m')
  if (disk === undefined) return t.skip('this process may not mount a file system')
  const monitor = new URL(`http://127.0.0.1:${await freePort()}`)
  await using server = await startNatsServer({
    jetstream: join(disk.path, 'bus'),
    jetstreamExtra: 'max_file: 40MB',
    extra: `http: "${monitor.host}"`,
  })
  await using outside = await connectBusClient(server)
  await using processor = await connectBusClient(server)
  await using caller = await connectBusClient(server)
  await processor.subscribe('llm.gl.echo', (message) => message.reply(message.bytes))
  await makeRecordStream(outside)
  await using watched = await watch(server, monitor)
  assert.ok(await isStored(outside, MIB))
  writeFileSync(join(disk.path, 'others'), Buffer.alloc(96 * MIB))
  let stored = 1
  for (; await isStored(outside, MIB); stored += 1) assert.ok(stored < 100)
  await watched.news.waitFor(({ kind }) => kind === 'no room')
  assert.deepEqual(
    watched.news.entries.map(({ kind }) => kind),
    ['stalled', 'no room'],
  )
  assert.equal(watched.restarts(), 0)
  assert.equal(Buffer.from(await caller.request('llm.gl.echo', Buffer.from('hi'))).toString(), 'hi')
  rmSync(join(disk.path, 'others'))
  await watched.news.waitFor(({ kind }) => kind === 'stores again')
  assert.equal(watched.restarts(), 1)
  while (!(await isStored(outside, MIB))) assert.equal(watched.restarts(), 1)
  const stream = await outside.request('$JS.API.STREAM.INFO.records_llm', Buffer.alloc(0))
  assert.ok(JSON.parse(Buffer.from(stream).toString()).state.messages > stored)
})

test('a reader of every record subject sees no probe, and a bus without JetStream is not judged', async () => {
  await using server = await startNatsServer({ jetstream: true })
  await using reader = await connectBusClient(server)
  const seen = new Journal<string>()
  await reader.subscribe('llm.gl.logger', () => seen.add('record'))
  const { logger } = journalLogger()
  for (const [place, kind] of [
    [server, 'acknowledged'],
    [await startNatsServer(), 'unjudged'],
  ] as const) {
    const options = busOptions({ GATEWAY_HOST: place.address, NATS_TOKEN: place.token })
    assert.ok(options)
    const bus = await connectBus({ ...options, name: 'life', logger })
    const liveness = new LivenessProbe({ subject: 'llm.gl.logger', bus: () => bus, timeoutMs: 1_000 })
    for (let count = 0; count < 3; count += 1) assert.equal((await liveness.probe()).kind, kind)
    await bus?.close()
    await place.close()
  }
  assert.deepEqual(seen.entries, [])
})

test('a client without the right to publish the probe gives no verdict', async () => {
  const users = '{ user: "sink", password: "p", permissions: { publish: ["_INBOX.>"], subscribe: ["_INBOX.>"] } }'
  await using server = await startNatsServer({
    jetstream: true,
    token: undefined,
    extra: `authorization { users: [${users}] }`,
  })
  const options = busOptions({ GATEWAY_HOST: server.address, NATS_USER: 'sink', NATS_PASSWORD: 'p' })
  assert.ok(options)
  const bus = await connectBus({ ...options, name: 'life', logger: journalLogger().logger })
  const liveness = new LivenessProbe({ subject: 'llm.gl.logger', bus: () => bus })
  assert.deepEqual(await liveness.probe(), { kind: 'unjudged', code: 'NOT_ALLOWED' })
  await bus?.close()
})

test('restarts that do not help become rarer, and a restart after a long time without failures comes at once', async () => {
  const stop = new AbortController()
  const news: StallEvent[] = []
  const restarts: number[] = []
  let time = 0
  const room: DiskRoom = { kind: 'room' }
  await restartStalledBus({
    probe: async () => {
      time += 1_000
      if (time >= 1_000_000) stop.abort()
      return time > 500_000 && time < 950_000 ? { kind: 'acknowledged' } : { kind: 'failed', code: 'NO_ANSWER' }
    },
    room: async () => room,
    restart: async () => void restarts.push(time / 1_000),
    notify: (entry) => news.push(entry),
    signal: stop.signal,
    now: () => time,
    intervalMs: 0,
    failures: 6,
    backOffMs: 60_000,
  })
  assert.deepEqual(restarts, [6, 66, 186, 426, 955])
  assert.equal(news.filter(({ kind }) => kind === 'stalled').length, 2)
})

import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { busOptions } from '@llm-gateway/sdk/bus-liveness'
import { connectBusClient } from '@llm-gateway/test/fake/bus-client'
import { freePort } from '@llm-gateway/test/fake/free-port'
import { Journal } from '@llm-gateway/test/fake/journal'
import { mountedFolder } from '@llm-gateway/test/fake/mounted-folder'
import { startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { busHealth } from './bus-health.ts'

const MIB = 1024 * 1024

test('the probe of a bus fails while a new start would help, and not while its disk is full', async (t) => {
  await using disk = await mountedFolder('size=100m')
  if (disk === undefined) return t.skip('this process may not mount a file system')
  const monitor = new URL(`http://127.0.0.1:${await freePort()}`)
  await using server = await startNatsServer({ jetstream: join(disk.path, 'bus'), extra: `http: "${monitor.host}"` })
  await using client = await connectBusClient(server)
  const made = { name: 'records_llm', subjects: ['llm.gl.logger'], max_bytes: 32 * MIB }
  await client.request('$JS.API.STREAM.CREATE.records_llm', Buffer.from(JSON.stringify(made)))
  const bus = busOptions({ GATEWAY_HOST: server.address, NATS_TOKEN: server.token })
  assert.ok(bus)
  const stop = new AbortController()
  const states = new Journal<unknown>()
  const warn = (fields: object): void => states.add(Object.entries(fields)[0]?.[1])
  const health = busHealth({
    bus,
    subject: 'llm.gl.logger',
    store: disk.path,
    monitor,
    logger: { info: warn, warn, error: warn },
    signal: stop.signal,
    pace: { intervalMs: 20, failures: 2, timeoutMs: 1_000 },
  })
  const status = async (): Promise<number | undefined> => (await health.routes.get('/healthz?of=bus')?.())?.status
  while (health.stores() !== true) await new Promise((resolve) => setTimeout(resolve, 10))
  writeFileSync(join(disk.path, 'others'), Buffer.alloc(96 * MIB))
  for (let stored = true; stored; ) {
    const answer = await client.request('llm.gl.logger', Buffer.alloc(MIB), 2_000).catch(() => undefined)
    stored = answer !== undefined && !Buffer.from(answer).toString().includes('"error"')
  }
  await states.waitFor((state) => state === 'no room')
  assert.equal(await status(), 200)
  assert.equal(health.stores(), false)
  rmSync(join(disk.path, 'others'))
  await states.waitFor((state) => state === 'restarting')
  assert.equal(await status(), 503)
  // Restarts the bus like the kubelet.
  await server.kill('SIGKILL')
  await server.restart()
  await states.waitFor((state) => state === 'stores again')
  assert.equal(await status(), 200)
  stop.abort()
  await health.ended
})

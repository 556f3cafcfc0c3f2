import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { checkGinitConfig, createLogger } from '@llm-gateway/conf'
import { connectBusClient } from '@llm-gateway/test/fake/bus-client'
import { freePort } from '@llm-gateway/test/fake/free-port'
import { Journal } from '@llm-gateway/test/fake/journal'
import { mountedFolder } from '@llm-gateway/test/fake/mounted-folder'
import { NATS_SERVER_BINARY } from '@llm-gateway/test/fake/nats-server'
import { planServices } from './plan-services.ts'
import { supervise } from './supervise.ts'
import { watchedBus } from './watch-bus.ts'

const MIB = 1024 * 1024

test('a bus on a full disk serves calls as it is, and is started anew once there is room', async (t) => {
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
  const ready = { healthy_output: 'Server is ready' }
  const services = [
    { name: 'nats-server', file: NATS_SERVER_BINARY, config_command: '-c', configuration_file: bus, ...ready },
    // Any program that stays: of the gateway only its file plays a part.
    { name: 'gl', file: 'tail', config_command: '-f', configuration_file: gl },
  ].map((service) => ({ healthy_output: '', ...service, disable_config_file_monitoring: true }))
  const environment = { ...process.env, NATS_TOKEN: '123456' }
  const checked = checkGinitConfig(Buffer.from(JSON.stringify({ services, max_starts: 1 })), { environment })
  assert.ok(checked.kind === 'checked')
  const { config } = checked
  const said = new Journal<{ readonly msg: string; readonly code?: string }>()
  const logger = createLogger({ service: 'ginit', write: (line) => said.add(JSON.parse(line)) })
  const stop = new AbortController()
  const pace = { intervalMs: 50, failures: 2, timeoutMs: 1_000 }
  const restart = (name: string) => supervisor.restart(name)
  const watched = watchedBus({ config, environment, logger, restart, signal: stop.signal, pace })
  const supervisor = supervise({
    note: () => undefined,
    services: planServices(config, environment, { node: process.execPath, folders: [] }),
    maxStarts: config.max_starts,
    logger,
    line: watched.line,
    now: () => performance.now(),
    watchIntervalMs: 1_000,
  })
  const watching = watched.watch()
  try {
    await said.waitFor(({ msg }) => msg === 'all services healthy')
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
    // The watch has seen both streams, or it would not judge.
    await waitForLife(client)
    writeFileSync(join(disk.path, 'others'), Buffer.alloc(114 * MIB))
    while (await isStored()) assert.ok(true)
    await said.waitFor(({ msg }) => msg.startsWith('bus has no room to store'))
    assert.ok(said.entries.some(({ msg }) => msg.startsWith('bus stores nothing')))
    assert.equal(Buffer.from(await caller.request('llm.gl.echo', Buffer.from('hi'))).toString(), 'hi')
    assert.ok(!said.entries.some(({ msg }) => msg.startsWith('starting the bus anew')))
    rmSync(join(disk.path, 'others'))
    await said.waitFor(({ msg }) => msg === 'bus stores again')
    while (!(await isStored())) assert.ok(true)
    assert.equal(Buffer.from(await caller.request('llm.gl.echo', Buffer.from('hi'))).toString(), 'hi')
  } finally {
    stop.abort()
    supervisor.kill()
    await Promise.all([supervisor.finished, watching])
  }
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

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { connectBusClient } from '@llm-gateway/test/fake/bus-client'
import { freePort } from '@llm-gateway/test/fake/free-port'
import { type NatsServer, startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { type Program, startProgram, waitForLine } from '@llm-gateway/test/fake/program'

const MAIN = join(import.meta.dirname, 'main.ts')

async function startExporter(monitor: string): Promise<{ program: Program; metrics(): Promise<string> }> {
  const port = await freePort()
  const environment = { BUS_MONITOR: monitor, EXPORTER_PORT: `${port}`, EXPORTER_HOST: '127.0.0.1' }
  const program = await startProgram({ command: process.execPath, args: [MAIN], environment })
  await waitForLine(program, /bus exporter initialized/)
  return {
    program,
    metrics: async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text(),
  }
}

describe('the bus exporter beside a real bus', () => {
  let nats: NatsServer
  let exporter: Awaited<ReturnType<typeof startExporter>>
  before(async () => {
    const port = await freePort()
    nats = await startNatsServer({ jetstream: true, extra: `http: "127.0.0.1:${port}"` })
    exporter = await startExporter(`http://127.0.0.1:${port}`)
  })
  after(async () => {
    await exporter?.program.stop()
    await nats?.close()
  })

  test('the exporter shows connections, messages, streams and durable consumers, but no consumer with a random name', async () => {
    await using client = await connectBusClient(nats)
    const ask = async (subject: string, body: object): Promise<void> => {
      const { error } = JSON.parse(
        Buffer.from(await client.request(subject, Buffer.from(JSON.stringify(body)))).toString(),
      )
      assert.equal(error, undefined)
    }
    await ask('$JS.API.STREAM.CREATE.records', { name: 'records', subjects: ['records.>'] })
    const durable = { durable_name: 'file', ack_policy: 'explicit' }
    await ask('$JS.API.CONSUMER.DURABLE.CREATE.records.file', { stream_name: 'records', config: durable })
    await ask('$JS.API.CONSUMER.CREATE.records', { stream_name: 'records', config: { ack_policy: 'none' } })
    for (let count = 0; count < 3; count += 1) await ask('records.one', { count })
    const text = await exporter.metrics()
    for (const line of [
      'llm_bus_up 1',
      'llm_bus_connections 1',
      'llm_bus_stream_messages{stream="records"} 3',
      'llm_bus_consumer_waiting_messages{stream="records",consumer="file"} 3',
      'llm_bus_consumer_unacknowledged_messages{stream="records",consumer="file"} 0',
    ])
      assert.ok(text.split('\n').includes(line), `${line}\n${text}`)
    assert.match(text, /^llm_bus_messages_total\{direction="in"\} [1-9]/m)
    assert.match(text, /^llm_bus_store_limit_bytes\{store="file"\} [1-9]/m)
    assert.equal([...text.matchAll(/^llm_bus_consumer_waiting_messages\{/gm)].length, 1)
  })

  test('the exporter reports an unreachable bus and recovers when the bus is back', async () => {
    await nats.stop()
    assert.match(await exporter.metrics(), /^llm_bus_up 0$/m)
    await nats.restart()
    assert.match(await exporter.metrics(), /^llm_bus_up 1$/m)
  })

  test('many scrapes at once all get an answer', async () => {
    const texts = await Promise.all(Array.from({ length: 20 }, () => exporter.metrics()))
    for (const text of texts) assert.match(text, /^llm_bus_up 1$/m)
  })
})

for (const [what, body] of [
  ['invalid JSON', '<html>'],
  ['nothing', ''],
  ['JSON of another kind', '[null, {"account_details": 7}]'],
  ['more than 16 MiB', 'x'.repeat(17 * 1024 * 1024)],
] as const) {
  test(`a monitoring port that answers ${what} does not stop the exporter`, async () => {
    const server = createServer((_, response) => response.end(body)).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const address = server.address()
    assert.ok(typeof address === 'object' && address !== null)
    const exporter = await startExporter(`http://127.0.0.1:${address.port}`)
    try {
      for (let count = 0; count < 2; count += 1) assert.match(await exporter.metrics(), /^llm_bus_up [01]$/m)
    } finally {
      await exporter.program.stop()
      server.close()
    }
  })
}

test('a variable that can’t be used is named', async () => {
  for (const environment of [{ BUS_MONITOR: 'localhost' }, { EXPORTER_PORT: '0' }, { EXPORTER_PORT: '99999' }]) {
    const program = await startProgram({ command: process.execPath, args: [MAIN], environment })
    assert.deepEqual(await program.exited, { code: 1, signal: null })
    assert.ok(program.lines.entries.some((line) => line.includes(Object.keys(environment)[0] ?? '')))
  }
})

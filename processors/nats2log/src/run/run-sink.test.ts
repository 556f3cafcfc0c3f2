import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { checkSinkConfig, type SinkConfig } from '@llm-gateway/conf'
import { journalLogger } from '@llm-gateway/sdk/journal-logger-under-test'
import { connectBusClient } from '@llm-gateway/test/fake/bus-client'
import { freePort } from '@llm-gateway/test/fake/free-port'
import { type NatsServer, startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { publish } from '../stream/publish-under-test.ts'
import { runSink } from './run-sink.ts'

// Rules: docs/reference/kept-records.md#sinks, docs/reference/configuration-rules.md#files-of-the-other-programs

const SUBJECT = 'llm.gl.logger'
test('every sink writes every record, replicas of a sink share the records, and a drain writes all received records', async (t) => {
  await using server = await startNatsServer()
  const files = await Promise.all(['nats2file', 'nats2file', 'nats2log'].map((service) => openSink(t, server, service)))
  await using outside = await connectBusClient(server)
  for (let n = 0; n < 2_000; n++) outside.publish(SUBJECT, Buffer.from(JSON.stringify({ n })))
  await outside.flush()
  const [first = [], second = [], other = []] = await Promise.all(files.map((file) => file.end()))
  const numbers = Array.from({ length: 2_000 }, (_, n) => n)
  assert.deepEqual(other, numbers)
  assert.deepEqual(
    [...first, ...second].sort((a, b) => a - b),
    numbers,
  )
  assert.ok(first.length > 0 && second.length > 0)
})

test('a repeat of a Nats-Msg-Id is dropped and counted', async (t) => {
  await using server = await startNatsServer()
  const sink = await openSink(t, server, 'nats2file')
  const ids = ['a', 'b', 'a', undefined, undefined]
  const records = [1, 2, 1, 3, 3].map((n, index) => ({ json: `{"n":${n}}`, ...(ids[index] && { id: ids[index] }) }))
  await publish(server, SUBJECT, records)
  assert.deepEqual(await sink.end(), [1, 2, 3, 3])
  const report = sink.lines.findLast((line) => line.message === 'records written')
  assert.deepEqual(report?.fields, { delivered: 4, failed: {}, repeats: 1 })
})

test('a sink logs that it is initialized once it is subscribed, and writes on after the bus was killed', async (t) => {
  const port = await freePort()
  const sink = await startSink(t, { address: `127.0.0.1:${port}`, token: 'test-token' }, 'nats2file')
  await sink.logged('bus not reachable')
  assert.ok(sink.lines.every((line) => line.message !== 'sink initialized'))
  await using server = await startNatsServer({ port })
  await sink.logged('sink initialized')
  await server.kill('SIGKILL')
  await sink.logged('bus disconnected')
  await server.restart()
  await sink.logged('bus reconnected')
  await using outside = await connectBusClient(server)
  outside.publish(SUBJECT, Buffer.from('{"n":7}'))
  await outside.flush()
  assert.deepEqual(await sink.end(), [7])
})

const IDLE: readonly (readonly [object, string])[] = [
  [{}, 'sink not configured'],
  [{ mode: 'elastic_writer' }, 'sink not configured'],
  [{ mode: 'rest_api_writer', rest_api_writer: { url: '' } }, 'sink not configured'],
  [{ mode: 's3_writer', s3_writer: {} }, 'sink not configured'],
  [{ mode: 'postgres_writer', postgres_writer: { host: '' } }, 'sink not configured'],
  [{ mode: 'postgres_writer', elastic_writer: { url: 'http://logs' } }, 'sink not configured'],
  [
    { mode: 'azure_log_analytics_writer', azure_log_analytics_writer: { workspace_id: 'w', shared_key: 'k' } },
    'sink writes nothing: Azure has ended the API of this mode; use azure_logs_ingestion_writer',
  ],
]

test('a sink that is not configured logs one WARN, idles and reports itself healthy', async () => {
  for (const [file, warning] of IDLE) {
    const { logger, lines, logged } = journalLogger()
    const stop = new AbortController()
    const program = { service: 'nats2log', environment: {}, logger, now: Date.now, signal: stop.signal }
    const ended = runSink({ ...program, config: sinkConfig(file) })
    await logged('sink initialized')
    assert.deepEqual(
      lines.entries.map(({ level, message }) => [level, message]),
      [
        ['WARN', warning],
        ['INFO', 'sink initialized'],
      ],
    )
    stop.abort()
    assert.equal(await ended, 0)
  }
})

const INVALID: readonly (readonly [object, string, string, { GATEWAY_HOST: string }?])[] = [
  [{ mode: 'rest_api_writer', rest_api_writer: { url: 'http://[' } }, 'sink_config.rest_api_writer.url', 'http_url:'],
  [
    {
      mode: 'rest_api_writer',
      rest_api_writer: { url: 'http://logs' },
      tls: { outbound: { cert_files: ['./absent.pem'] } },
    },
    'sink_config.tls.outbound.cert_files',
    'file:',
  ],
  [{ mode: 'file_writer' }, 'GATEWAY_HOST', 'address:', { GATEWAY_HOST: 'planted-secret:99999' }],
]

test('a sink that can’t start logs the reason and ends with 1', async () => {
  for (const [file, path, reason, environment = {}] of INVALID) {
    const { logger, lines } = journalLogger()
    const program = {
      service: 'nats2log',
      environment,
      logger,
      now: Date.now,
      signal: new AbortController().signal,
    }
    assert.equal(await runSink({ ...program, config: sinkConfig(file) }), 1)
    const fields = { validation_errors: { [path]: reason } }
    assert.deepEqual(lines.entries, [{ level: 'ERROR', message: 'configuration file validation failed', fields }])
  }
})

function sinkConfig(file: object): SinkConfig {
  const check = checkSinkConfig(Buffer.from(JSON.stringify(file)), { environment: {} })
  assert.ok(check.kind === 'checked')
  return check.config
}

async function openSink(t: TestContext, server: NatsServer, service: string) {
  const sink = await startSink(t, server, service)
  await sink.logged('sink initialized')
  return sink
}

/** Starts a sink that writes to a file; `end()` asks it to end and returns the `n` of each record. */
async function startSink(t: TestContext, bus: Pick<NatsServer, 'address' | 'token'>, service: string) {
  const folder = await mkdtemp(join(tmpdir(), 'llm-gateway-sink-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const filename = join(folder, 'records.jsonl')
  const { logger, lines, logged } = journalLogger()
  const stop = new AbortController()
  const service_bus = { topic_exact_logger: SUBJECT, hostname: bus.address, token: bus.token }
  const config = sinkConfig({ mode: 'file_writer', file_writer: { filename }, service_bus })
  const ended = runSink({ config, service, environment: {}, logger, now: Date.now, signal: stop.signal })
  const end = async (): Promise<readonly number[]> => {
    stop.abort()
    assert.equal(await ended, 0)
    const text = await readFile(filename, 'utf8')
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line).n)
  }
  return { end, logged, lines: lines.entries }
}

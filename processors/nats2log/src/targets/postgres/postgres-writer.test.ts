import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { type Postgres, startPostgres, untilRows } from '@llm-gateway/test/fake/postgres'
import { startProgram, waitForLine } from '@llm-gateway/test/fake/program'
import pg from 'pg'
import {
  connected,
  keepRecords,
  makeRecordStream,
  temporaryFolder,
  untilAcknowledged,
} from '../../stream/stream-under-test.ts'
import { allFailed, DELIVERED } from '../writer.ts'
import { createPostgresWriter } from './postgres-writer.ts'

const TABLE = { table: 'llm_gateway_records', tls: undefined, database: 'postgres', user: 'tester', password: '' }
const RECORD = {
  session_id: 's\0',
  transaction_id: 't',
  request: { gl_path: '/pool/', ingress_method: 'POST', outbound_payload: { model: 'asked' } },
  response: {
    gl_path: '/pool/a/',
    original_gl_path: '/pool/',
    egress_status_code: 200,
    stream: true,
    first_byte_timer: { duration: 40 },
    inbound_payload: { model: 'm-1', usage: { prompt_tokens: 4, completion_tokens: 5, total_tokens: 9 } },
  },
  ingress_egress_timer: { start: '2026-11-21T02:00:00.123456789Z', duration: 814 },
}

test('each record becomes one row with tokens, latency and status, also when it is written twice', async (t) => {
  const postgres = await startPostgres(t, process.env.PATH)
  if (typeof postgres === 'string') return t.skip(postgres)
  const writer = createPostgresWriter({ ...TABLE, ...postgres })
  assert.equal(await writer.open(), undefined)
  const bytes = Buffer.from(JSON.stringify(RECORD))
  const depths = `{"request":{"ingress_payload":${'['.repeat(5_000)}${']'.repeat(5_000)}}}`
  const others = [
    { id: 'deep', bytes: Buffer.from(depths) },
    { id: 'broken', bytes: Buffer.from('{"request":') },
    { id: 'base64', bytes: Buffer.from('{"request":{"ingress_payload":{"base64":"//8="}}}') },
    {
      id: 'escapes',
      bytes: Buffer.from(
        '{"request":{"gl_path":"\\\\u0000 \\u0000 \\ud83d\\ude00 \\ud83d \\ude00 \\\\\\u0000 \\\\ud83d\\ude00"}}',
      ),
    },
    { id: 'utf8', bytes: Buffer.from([...Buffer.from('{"x":"'), 0xff, ...Buffer.from('"}')]) },
  ]
  const attempt = await writer.write([{ id: 'G-1-1', bytes }, ...others])
  assert.deepEqual(
    attempt.failed.map(({ record, code, again }) => [record.id, code, again]),
    [['broken', 'SQL_22P02', false]],
  )
  assert.deepEqual(await writer.write([{ id: 'G-1-1', bytes }]), DELIVERED)
  const columns =
    'extract(epoch from time), session_id, transaction_id, router, original_router, method, status, duration_ms, first_byte_ms, model, stream, prompt_tokens, completion_tokens, total_tokens'
  assert.deepEqual(postgres.query(`SELECT ${columns} FROM llm_gateway_records WHERE id = 'G-1-1'`), [
    '1795226400.123457|s|t|/pool/a/|/pool/|POST|200|814|40|m-1|t|4|5|9',
  ])
  assert.deepEqual(postgres.query("SELECT record->'request'->>'gl_path' FROM llm_gateway_records WHERE id = 'G-1-1'"), [
    '/pool/',
  ])
  assert.deepEqual(
    postgres.query("SELECT record->'request'->>'gl_path' FROM llm_gateway_records WHERE id = 'escapes'"),
    ['\\u0000 \ufffd 😀 \ufffd \ufffd \\\ufffd \\ud83d\ufffd'],
  )
  assert.deepEqual(postgres.query('SELECT count(*) FROM llm_gateway_records'), ['5'])
  await writer.close()
  await t.test('a locked, changed, read-only or lost table delays records, and no statement stays behind', (inner) =>
    tableTrouble(inner, postgres),
  )
  await t.test('a server that stops answering after an error does not hold up the next try', (inner) =>
    silentServer(inner, postgres),
  )
  await t.test('no row is lost or doubled when PostgreSQL stops and when the sink is killed', (inner) =>
    stopsAndKills(inner, postgres),
  )
})

async function tableTrouble(t: TestContext, postgres: Postgres): Promise<void> {
  const writer = createPostgresWriter({ ...TABLE, ...postgres, statementMs: 500 })
  t.after(() => writer.close())
  const failsWith = async (code: string, id: string): Promise<void> => {
    const one = { id, bytes: Buffer.from('{}') }
    assert.deepEqual(await writer.write([one]), allFailed([one], { code, again: true }), id)
  }
  const waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
  const locker = new pg.Client({ ...TABLE, host: postgres.host, port: postgres.port })
  await locker.connect()
  await locker.query('BEGIN; LOCK TABLE llm_gateway_records')
  for (const id of ['locked-1', 'locked-2', 'locked-3']) await failsWith('SQL_57014', id)
  assert.deepEqual(postgres.query(waiting), ['0'])
  await locker.query('ROLLBACK')
  await locker.end()
  const changes = [
    ['ALTER DATABASE postgres SET default_transaction_read_only = on', 'SQL_25006'],
    ['BEGIN READ WRITE; ALTER DATABASE postgres RESET default_transaction_read_only; COMMIT', undefined],
    ['ALTER TABLE llm_gateway_records RENAME COLUMN model TO kind', 'SQL_42703'],
    ['ALTER TABLE llm_gateway_records RENAME COLUMN kind TO model', undefined],
    ['DROP TABLE llm_gateway_records', 'SQL_42P01'],
  ] as const
  for (const [change, code] of changes) {
    postgres.query(change)
    // Sessions keep the database's earlier settings.
    if (change.includes('DATABASE')) await writer.close()
    if (code !== undefined) await failsWith(code, change)
    else assert.deepEqual(await writer.write([{ id: change, bytes: Buffer.from('{}') }]), DELIVERED, change)
  }
  assert.deepEqual(await writer.write([{ id: 'last', bytes: Buffer.from('{}') }]), DELIVERED)
  assert.deepEqual(postgres.query('SELECT id FROM llm_gateway_records'), ['last'])
}

async function silentServer(t: TestContext, postgres: Postgres): Promise<void> {
  const silent = new Set<Socket>()
  let isMute = false
  const proxy = createServer((socket) => {
    const server = connect(postgres.port, postgres.host)
    silent.add(socket).add(server)
    for (const end of [socket, server]) end.on('error', () => undefined) // a test's connection may break
    socket.on('data', (chunk) => isMute || server.write(chunk))
    server.on('data', (chunk) => {
      socket.write(chunk)
      // SQLSTATE of a missing table
      if (chunk.includes('42P01')) isMute = true
    })
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  t.after(() => {
    proxy.close()
    for (const socket of silent) socket.destroy()
  })
  const address = proxy.address()
  assert.ok(address !== null && typeof address === 'object')
  const writer = createPostgresWriter({ ...TABLE, host: '127.0.0.1', port: address.port })
  t.after(() => writer.close())
  const one = { id: 'silent', bytes: Buffer.from('{}') }
  assert.equal(await writer.open(), undefined)
  postgres.query('DROP TABLE llm_gateway_records')
  assert.deepEqual(await writer.write([one]), allFailed([one], { code: 'SQL_42P01', again: true }))
  isMute = false
  assert.deepEqual(await writer.write([one]), DELIVERED)
}

async function stopsAndKills(t: TestContext, postgres: Postgres): Promise<void> {
  postgres.query('TRUNCATE llm_gateway_records')
  await using server = await startNatsServer({ jetstream: true })
  await makeRecordStream(server)
  const bus = await connected(t, server)
  const file = join(await temporaryFolder(t), 'nats2log_config.json')
  const { host, port } = postgres
  const postgres_writer = { host, port, user: 'tester', database: 'postgres', tls: false }
  const service_bus = { hostname: server.address, token: server.token }
  await writeFile(file, JSON.stringify({ mode: 'postgres_writer', postgres_writer, service_bus }))
  const args = [join(import.meta.dirname, '../../main.ts'), '-o', file]
  const count = 'SELECT count(*), count(DISTINCT id) FROM llm_gateway_records'
  {
    await using sink = await startProgram({ command: process.execPath, args })
    await keepRecords(bus, { from: 0, to: 200 })
    await untilRows(postgres, count, '200|200')
    await postgres.stop()
    await keepRecords(bus, { from: 200, to: 400 })
    await waitForLine(sink, /records wait for the target/)
    await postgres.start()
    await untilRows(postgres, count, '400|400')
    await keepRecords(bus, { from: 400, to: 2_000 })
    sink.kill('SIGKILL')
    await sink.exited
  }
  await using again = await startProgram({ command: process.execPath, args })
  await untilAcknowledged(bus, 'nats2log', 2_000)
  assert.deepEqual(postgres.query(count), ['2000|2000'])
  assert.deepEqual(await again.stop(), { code: 0, signal: null })
}

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { freePort } from '@llm-gateway/test/fake/free-port'
import { startProgram, waitForLine } from '@llm-gateway/test/fake/program'
import { temporaryFolder } from '../../stream/stream-under-test.ts'
import { DELIVERED } from '../writer.ts'
import { createElasticWriter } from './elastic-writer.ts'

/** Built by tools/targets. */
const SERVER = join(import.meta.dirname, '../../../../../.tools/targets/opensearch')
const SMALL = ['-Xms256m', '-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1']
const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))

test('a real OpenSearch takes a bulk once, reports an existing document and refuses one that it cannot index', async (t) => {
  if (!existsSync(SERVER)) return t.skip('no OpenSearch: run make targets')
  const port = await freePort()
  const args = [...SMALL, '-cp', `${SERVER}/classes:${SERVER}/lib/*`, 'Server', await temporaryFolder(t), `${port}`]
  await using server = await startProgram({ command: 'java', args, environment: { PATH: process.env.PATH } })
  await waitForLine(server, /target ready/)
  const url = new URL(`http://127.0.0.1:${port}`)
  const place = { url, index: 'calls', authorization: undefined, tls: { rejectUnauthorized: true, ca: [] } }
  const writer = createElasticWriter({ ...place, bulk: true, documentIds: true, now: Date.now })
  const record = (n: unknown, id: string) => ({ id, bytes: encode({ n, text: 'a "quoted"\nline' }) })
  const records = [record(1, 'G-1-1'), record(2, 'G-1-2'), record(3, 'G-1-3')]
  assert.deepEqual(await writer.write(records), DELIVERED)
  assert.deepEqual(await writer.write(records), DELIVERED)
  const [known] = records
  assert.ok(known)
  assert.deepEqual(await writer.write([known]), DELIVERED)
  // `n` is indexed as a number by now.
  const unfit = record({ a: 1 }, 'G-1-4')
  const { failed } = await writer.write([unfit, record(5, 'G-1-5')])
  assert.deepEqual(failed, [{ record: unfit, code: 'HTTP_400', again: false }])
  assert.equal((await fetch(`${url}calls/_refresh`, { method: 'POST' })).status, 200)
  const { count } = Object(await (await fetch(`${url}calls/_count`)).json())
  assert.equal(count, 4)
  await writer.close()
  await t.test('with the template of the README callers’ payloads of any form are stored', () => anyPayload(url))
})

const DEEP = `${'{"a":['.repeat(400)}1${']}'.repeat(400)}`
const MANY = JSON.stringify(Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`name ${n}`, n])))
const PAYLOADS = [
  '{"messages":[{"role":"user","content":[{"type":"text","text":"a list"}]}]}',
  '{"messages":[{"role":"user","content":"a text"}]}',
  ...[MANY, DEEP, '{"a..b":1,"":2,".":3,"__proto__":4}', JSON.stringify('x'.repeat(40_000)), '1', 'null', '[1,"2",{}]'],
]

async function anyPayload(url: URL): Promise<void> {
  const readme = await readFile(join(import.meta.dirname, '../../../README.md'), 'utf8')
  const [template] = /\{\n {2}"index_patterns"[^`]+/.exec(readme) ?? []
  const headers = { 'Content-Type': 'application/json' }
  const request = { method: 'PUT', headers, body: template ?? '' }
  assert.equal((await fetch(`${url}_index_template/llm-gateway`, request)).status, 200)
  const place = { url, index: 'llm-gateway', authorization: undefined, tls: { rejectUnauthorized: true, ca: [] } }
  const writer = createElasticWriter({ ...place, bulk: true, documentIds: true, now: Date.now })
  const records = PAYLOADS.map((payload, n) => ({
    id: `G-2-${n}`,
    bytes: Buffer.from(
      `{"ingress_egress_timer":{"start":"2026-11-21T02:00:00.123456789Z","duration":1},"request":{"gl_path":"/x/","ingress_payload":${payload}},"response":{"gl_path":"/x/","egress_status_code":200,"egress_payload":${payload},"extra":${n % 2 === 0 ? n : '{}'}}}`,
    ),
  }))
  assert.deepEqual(await writer.write(records), DELIVERED)
  await fetch(`${url}llm-gateway/_refresh`, { method: 'POST' })
  const { count } = Object(await (await fetch(`${url}llm-gateway/_count?q=request.gl_path:%22/x/%22`)).json())
  assert.equal(count, PAYLOADS.length)
  await writer.close()
}

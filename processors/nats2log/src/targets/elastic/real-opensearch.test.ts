import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
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
})

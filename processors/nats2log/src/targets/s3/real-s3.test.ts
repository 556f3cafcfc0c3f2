import assert from 'node:assert/strict'
import { existsSync, globSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { freePort } from '@llm-gateway/test/fake/free-port'
import { startProgram, waitForLine } from '@llm-gateway/test/fake/program'
import { temporaryFolder } from '../../stream/stream-under-test.ts'
import { DELIVERED } from '../writer.ts'
import { createS3Writer } from './s3-writer.ts'

/** Built by tools/targets. */
const SERVER = join(import.meta.dirname, '../../../../../.tools/targets/versitygw')
const KEY = { accessKeyId: 'tester', secretAccessKey: 'planted/secret+key', sessionToken: '' }

test('a real S3 server takes requests signed with its key and refuses another key', async (t) => {
  if (!existsSync(SERVER)) return t.skip('no versitygw: run make targets')
  const folder = await temporaryFolder(t)
  mkdirSync(join(folder, 'calls'))
  const port = await freePort()
  const environment = { ROOT_ACCESS_KEY: KEY.accessKeyId, ROOT_SECRET_KEY: KEY.secretAccessKey }
  const args = ['--port', `127.0.0.1:${port}`, 'posix', '--nometa', folder]
  await using server = await startProgram({ command: SERVER, args, environment })
  await waitForLine(server, /127\.0\.0\.1/)
  const options = { bucket: 'calls', prefix: 'records/', region: 'us-east-1', now: Date.now }
  const place = { ...options, url: new URL(`http://127.0.0.1:${port}`) }
  const tls = { rejectUnauthorized: true, ca: [] }
  const bytes = Buffer.from('{"n":1,"ingress_egress_timer":{"start":"2026-11-22T09:00:00Z"}}')
  const records = [{ id: 'G-1-1', bytes }]
  const wrong = createS3Writer({ ...place, tls, key: { ...KEY, secretAccessKey: 'other' } })
  assert.deepEqual(
    (await wrong.write(records)).failed.map(({ code, again }) => [code, again]),
    [['HTTP_403', true]],
  )
  const writer = createS3Writer({ ...place, tls, key: KEY })
  assert.deepEqual(await writer.write(records), DELIVERED)
  assert.deepEqual(await writer.write(records), DELIVERED)
  const objects = globSync('calls/records/2026/11/22/09/*.ndjson.gz', { cwd: folder })
  assert.deepEqual(
    objects.map((object) => gunzipSync(readFileSync(join(folder, object))).toString()),
    [`${bytes}\n`],
  )
  await wrong.close()
  await writer.close()
})

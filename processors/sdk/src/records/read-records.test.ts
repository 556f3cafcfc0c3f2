import assert from 'node:assert/strict'
import { appendFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '@llm-gateway/test/fake/temporary-folder'
import { recordsOfFiles } from './read-records.ts'

const EVERY_RECORD = { sinceMs: undefined, router: undefined, session: undefined, statuses: [] }
/** Node warns of a leak at the eleventh listener. */
const RECORDS = 12

test('a record added to a followed file leaves no listener at the file', async (t) => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'records.jsonl')
  await writeFile(path, '{"n":0}\n')
  const warnings: string[] = []
  const warned = ({ name }: Error): void => void warnings.push(name)
  process.on('warning', warned)
  t.after(() => process.off('warning', warned))
  const stop = new AbortController()
  const seen: string[] = []
  for await (const line of recordsOfFiles([path], { query: EVERY_RECORD, follow: true, signal: stop.signal })) {
    seen.push(Buffer.from(line).toString())
    if (seen.length < RECORDS) await appendFile(path, `{"n":${seen.length}}\n`)
    else stop.abort()
  }
  assert.deepEqual(
    seen,
    Array.from({ length: RECORDS }, (_, index) => `{"n":${index}}`),
  )
  assert.deepEqual(warnings, [])
})

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openRecordFile } from './record-file.ts'

test('a file with very many lines is read in windows of 10,000 lines, each line once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'records-'))
  const path = join(folder, 'records.jsonl')
  // The long last line makes the window large enough for all lines.
  const lines = [
    ...Array.from({ length: 30_000 }, (_, index) => (index % 3 === 0 ? '' : `${index}`)),
    'y'.repeat(2_000_000),
  ]
  await writeFile(path, `${lines.join('\n')}\nhalf a line`)
  const file = await openRecordFile(path)
  assert.ok(file)
  const found: string[] = []
  for (let at = file.end; at > 0; ) {
    const { records, from } = await file.window(at)
    assert.ok(records.length <= 10_000, `${records.length} records`)
    assert.ok(from < at)
    found.push(...records.map(({ bytes }) => Buffer.from(bytes).toString()))
    at = from
  }
  assert.deepEqual(found, lines.filter((line) => line !== '').toReversed())
  await file.close()
  await rm(folder, { recursive: true })
})

test('an id with an offset beyond the file names no record', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'records-'))
  const path = join(folder, 'records.jsonl')
  await writeFile(path, '{}\n')
  const file = await openRecordFile(path)
  const [record] = (await file?.window(3))?.records ?? []
  assert.equal(String(await file?.record(record?.id ?? '')), String(record?.bytes))
  assert.equal(await file?.record(`${record?.id.replace(/-.*/, '')}-9999999999999999`), undefined)
  await file?.close()
  await rm(folder, { recursive: true })
})

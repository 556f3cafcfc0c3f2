import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { quotaFolder } from '@llm-gateway/test/fake/quota-folder'
import { allFailed, DELIVERED, type SinkRecord } from '../writer.ts'
import { createFileWriter } from './file-writer.ts'
import type { WriteMode } from './record-file.ts'

// Rules: docs/reference/nats2file-config.md

const SURROUNDINGS = { logger: { warn: () => assert.fail('a warning') }, now: Date.now }
const record = (value: unknown): SinkRecord => ({ bytes: new TextEncoder().encode(JSON.stringify(value)) })

test('one JSON record a line, in a directory that is made for it', async (t) => {
  const filename = join(await directory(t), 'log/deep/records.jsonl')
  const writer = createFileWriter({ filename, writeMode: 'append', ...SURROUNDINGS })
  const spread = { bytes: new TextEncoder().encode('{\r\n "n": 2,\n "text": "a\\nb"\r}') }
  assert.deepEqual(await writer.write([record({ n: 1 }), spread]), DELIVERED)
  assert.deepEqual(await writer.write([record({ n: 3 })]), DELIVERED)
  await writer.close()
  assert.deepEqual(await records(filename), [{ n: 1 }, { n: 2, text: 'a\nb' }, { n: 3 }])
  assert.equal((await stat(filename)).mode & 0o777 & 0o007, 0)
})

const MODES: readonly (readonly [WriteMode, Readonly<Record<string, string>>])[] = [
  ['append', { 'r.jsonl': '{"old":1}\n{"n":1}\n{"n":2}\n' }],
  ['overwrite', { 'r-TIME.jsonl': '{"old":1}\n', 'r.jsonl': '{"n":1}\n{"n":2}\n' }],
  ['new', { 'r.jsonl': '{"old":1}\n', 'r.1.jsonl': '{"n":1}\n{"n":2}\n' }],
]

test('append keeps the file, overwrite rotates it, new takes another name', async (t) => {
  for (const [writeMode, files] of MODES) {
    const folder = await directory(t)
    await writeFile(join(folder, 'r.jsonl'), '{"old":1}\n')
    const writer = createFileWriter({ filename: join(folder, 'r.jsonl'), writeMode, ...SURROUNDINGS })
    assert.equal(await writer.open(), undefined)
    await writer.write([record({ n: 1 })])
    await writer.write([record({ n: 2 })])
    await writer.close()
    assert.deepEqual(await contents(folder), files, writeMode)
  }
})

test('a moved or removed file is made again, and a truncated file is written further', async (t) => {
  const folder = await directory(t)
  const filename = join(folder, 'r.jsonl')
  const writer = createFileWriter({ filename, writeMode: 'overwrite', ...SURROUNDINGS })
  await writer.write([record(1)])
  await rename(filename, `${filename}.1`)
  await writer.write([record(2)])
  await writer.write([record(3)])
  assert.deepEqual(await contents(folder), { 'r.jsonl': '2\n3\n', 'r.jsonl.1': '1\n' })
  await rm(folder, { recursive: true })
  await writer.write([record(4)])
  assert.deepEqual(await contents(folder), { 'r.jsonl': '4\n' })
  await truncate(filename)
  await writer.write([record(5)])
  assert.deepEqual(await contents(folder), { 'r.jsonl': '5\n' })
  await writer.close()
})

test('a file is rotated by size or age, compressed, and kept as configured', async (t) => {
  const folder = await directory(t)
  const filename = join(folder, 'r.jsonl')
  let clock = Date.UTC(2026, 10, 22)
  const rotation = { bytes: 20, seconds: 3_600, keep: { gzip: true, files: 2, days: 0 } }
  const options = { filename, writeMode: 'append', rotation, ...SURROUNDINGS, now: () => clock } as const
  const writer = createFileWriter(options)
  for (let n = 0; n < 10; n++) {
    await writer.write([{ ...record({ n, text: 'a' }), id: `G-1-${n}`, sequence: n + 1 }])
    clock += 1_000
  }
  clock += 3_600_000
  await writer.write([record({ n: 10 })])
  await writer.close()
  const names = (await readdir(folder)).sort()
  assert.deepEqual(names, ['r-20261122T000008Z.jsonl.gz', 'r-20261122T010010Z.jsonl.gz', 'r.jsonl', 'r.jsonl.seen'])
  const numbers = (file: string) => unpacked(folder, file).match(/\d+(?=,)/g)
  assert.deepEqual(
    [numbers(names[0] ?? ''), numbers(names[1] ?? '')],
    [
      ['6', '7'],
      ['8', '9'],
    ],
  )
  assert.equal((await stat(join(folder, names[0] ?? ''))).mode & 0o007, 0)
})

const TAILS: readonly (readonly [string, string, string])[] = [
  ['half a record', '{"n":0}\n{"n":', '{"n":0}\n'],
  ['a record without its line end', '{"n":0}\n{"n":9}', '{"n":0}\n{"n":9}\n'],
  ['half a record alone', '{"n"', ''],
  ['half a long record', `{"n":0}\n{"text":"${'x'.repeat(200_000)}`, '{"n":0}\n'],
  ['whole lines', '{"n":0}\n', '{"n":0}\n'],
]

test('a partial record left by a kill is removed before the next write', async (t) => {
  const folder = await directory(t)
  for (const [name, before, kept] of TAILS) {
    const filename = join(folder, name)
    await writeFile(filename, before)
    const writer = createFileWriter({ filename, writeMode: 'append', ...SURROUNDINGS })
    assert.deepEqual(await writer.write([record({ n: 1 })]), DELIVERED)
    await writer.close()
    assert.equal(await readFile(filename, 'utf8'), `${kept}{"n":1}\n`, name)
  }
})

test('a disk that fills up within a batch keeps whole lines, loses the partial line, and the rest is retried', async (t) => {
  const filename = join(await directory(t), 'r.jsonl')
  // `ulimit -f` counts blocks of 512 bytes in sh: the system writes a part of the batch, then refuses (EFBIG).
  const program = `
    const { createFileWriter } = await import(${JSON.stringify(join(import.meta.dirname, 'file-writer.ts'))})
    const writer = createFileWriter({ filename: ${JSON.stringify(filename)}, writeMode: 'append', now: Date.now })
    const encode = (n) => new TextEncoder().encode(JSON.stringify({ n, text: 'x'.repeat(80) }))
    const batch = Array.from({ length: 100 }, (_, n) => ({ bytes: encode(n), id: String(n) }))
    const tries = [await writer.write(batch), await writer.write(batch)]
    console.log(JSON.stringify(tries.map(({ failed }) => failed.map(({ record, code, again }) => [record.id, code, again]))))`
  const limited = 'ulimit -f 8; exec "$0" --input-type=module -e "$1"'
  const { stdout } = await promisify(execFile)('sh', ['-c', limited, process.execPath, program])
  const lines = await records(filename)
  assert.ok(lines.length > 10 && lines.length < 100, `${lines.length}`)
  const all = Array.from({ length: 100 }, (_, n) => [String(n), 'EFBIG', true])
  assert.deepEqual(JSON.parse(stdout), [all.slice(lines.length), all])
})

test('without free file descriptors a batch fails with EMFILE, and is written when there are some', async (t) => {
  const filename = join(await directory(t), 'r.jsonl')
  const program = `
    import { closeSync, openSync } from 'node:fs'
    const { createFileWriter } = await import(${JSON.stringify(join(import.meta.dirname, 'file-writer.ts'))})
    const writer = createFileWriter({ filename: ${JSON.stringify(filename)}, writeMode: 'append', now: Date.now })
    const batch = [1, 2].map((n) => ({ bytes: new TextEncoder().encode(JSON.stringify({ n })), id: String(n) }))
    const held = []
    try { for (;;) held.push(openSync('/dev/null')) } catch ({ code }) { if (code !== 'EMFILE') throw code }
    const first = await writer.write(batch)
    for (const file of held) closeSync(file)
    const tries = [first, await writer.write(batch)]
    console.log(JSON.stringify(tries.map(({ failed }) => failed.map(({ record, code, again }) => [record.id, code, again]))))`
  const limited = 'ulimit -n 200; exec "$0" --input-type=module -e "$1"'
  const { stdout } = await promisify(execFile)('sh', ['-c', limited, process.execPath, program])
  const refused = ['1', '2'].map((id) => [id, 'EMFILE', true])
  assert.deepEqual(JSON.parse(stdout), [refused, []])
  assert.deepEqual(await records(filename), [{ n: 1 }, { n: 2 }])
})

test('a full disk and a directory that is a file fail with their codes', async (t) => {
  const folder = await directory(t)
  await symlink('/dev/full', join(folder, 'full.jsonl'))
  const full = createFileWriter({ filename: join(folder, 'full.jsonl'), writeMode: 'append', ...SURROUNDINGS })
  const one = record(1)
  assert.deepEqual(await full.write([one]), allFailed([one], { code: 'ENOSPC', again: true }))
  await full.close()
  await writeFile(join(folder, 'file'), '')
  const misplaced = createFileWriter({ filename: join(folder, 'file/r.jsonl'), writeMode: 'append', ...SURROUNDINGS })
  assert.equal(await misplaced.open(), 'ENOTDIR')
  assert.deepEqual(await misplaced.write([one]), allFailed([one], { code: 'ENOTDIR', again: true }))
})

test('a used-up quota fails with EDQUOT and keeps whole lines, and the rest is written when there is room', async (t) => {
  await using folder = await quotaFolder(4, process.env)
  if (folder === undefined) return t.skip('may not mount a btrfs')
  const filename = join(folder.path, 'r.jsonl')
  const writer = createFileWriter({ filename, writeMode: 'append', ...SURROUNDINGS })
  assert.deepEqual(await writer.write([record({ n: 0 })]), DELIVERED)
  folder.fill()
  const batch = Array.from({ length: 40 }, (_, n) => record({ n, text: 'x'.repeat(100_000) }))
  const { failed } = await writer.write(batch)
  assert.ok(failed.length > 0)
  assert.deepEqual([...new Set(failed.map(({ code, again }) => `${code} ${again}`))], ['EDQUOT true'])
  assert.equal((await records(filename)).length, 41 - failed.length)
  folder.free()
  const rest = failed.map((failure) => failure.record).slice(0, 10)
  assert.deepEqual(await writer.write(rest), DELIVERED)
  await writer.close()
  assert.equal((await records(filename)).length, 41 - failed.length + rest.length)
})

test('files that are rotated within one second all stay, also when the earlier files are compressed already', async (t) => {
  const folder = await directory(t)
  const rotation = { bytes: 1, seconds: 0, keep: { gzip: true, files: 0, days: 0 } }
  const options = { filename: join(folder, 'r.jsonl'), writeMode: 'append', rotation, ...SURROUNDINGS } as const
  for (let n = 0; n < 5; n++) {
    const writer = createFileWriter({ ...options, now: () => Date.UTC(2026, 10, 22) })
    await writer.write([{ ...record({ n }), id: `G-1-${n}`, sequence: n + 1 }])
    await writer.close()
  }
  const texts = (await readdir(folder)).filter((name) => name.endsWith('.gz')).map((name) => unpacked(folder, name))
  assert.deepEqual(texts.sort(), ['{"n":0}\n', '{"n":1}\n', '{"n":2}\n', '{"n":3}\n'])
})

test('of files that were rotated within one second the newest stay', async (t) => {
  const folder = await directory(t)
  const rotation = { bytes: 1, seconds: 0, keep: { gzip: false, files: 2, days: 0 } }
  const options = { filename: join(folder, 'r.jsonl'), writeMode: 'append', rotation, ...SURROUNDINGS } as const
  for (let n = 0; n < 13; n++)
    await writeFile(join(folder, `r-20261122T000000Z${n === 0 ? '' : `-${n}`}.jsonl`), `${n}`)
  const writer = createFileWriter({ ...options, now: () => Date.UTC(2026, 10, 22) })
  await writer.write([record(13)])
  await writer.close()
  assert.deepEqual(await contents(folder), { 'r-TIME-11.jsonl': '11', 'r-TIME-12.jsonl': '12', 'r.jsonl': '13\n' })
})

test('a full disk keeps no rotated file from its removal and no draft on the disk', async (t) => {
  const folder = await directory(t)
  const warnings: unknown[] = []
  const logger = { warn: (fields: object) => warnings.push(fields) }
  for (const day of ['01', '02', '03']) await writeFile(join(folder, `r-202511${day}T000000Z.jsonl`), `${day}\n`)
  await symlink('/dev/full', join(folder, 'r-20251103T000000Z.jsonl.draft'))
  await mkdir(join(folder, 'r-20251104T000000Z.jsonl'))
  const rotation = { bytes: 1, seconds: 0, keep: { gzip: true, files: 2, days: 0 } }
  const filename = join(folder, 'r.jsonl')
  const writer = createFileWriter({ filename, writeMode: 'append', rotation, logger, now: Date.now })
  await writer.write([record(1)])
  await writer.close()
  assert.deepEqual(warnings, [{ code: 'ENOSPC' }])
  const names = ['r-20251102T000000Z.jsonl.gz', 'r-20251103T000000Z.jsonl', 'r-20251104T000000Z.jsonl', 'r.jsonl']
  assert.deepEqual((await readdir(folder)).sort(), [...names, 'r.jsonl.seen'])
})

test('a pipe is refused: a write to one without a reader would never end', async (t) => {
  const filename = join(await directory(t), 'r.jsonl')
  await promisify(execFile)('mkfifo', [filename])
  const writer = createFileWriter({ filename, writeMode: 'append', ...SURROUNDINGS })
  assert.equal(await writer.open(), 'NOT_A_FILE')
  const one = record('x'.repeat(200_000))
  assert.deepEqual(await writer.write([one]), allFailed([one], { code: 'NOT_A_FILE', again: true }))
  await rm(filename)
  assert.deepEqual(await writer.write([one]), DELIVERED)
  await writer.close()
})

test('a record stands on its own line after another program has cut the file within a line', async (t) => {
  const filename = join(await directory(t), 'r.jsonl')
  const writer = createFileWriter({ filename, writeMode: 'append', ...SURROUNDINGS })
  await writer.write([record({ n: 1 }), record({ n: 2 })])
  await truncate(filename, 11)
  assert.deepEqual(await writer.write([record({ n: 3 })]), DELIVERED)
  await writer.close()
  assert.deepEqual(await records(filename), [{ n: 1 }, { n: 3 }])
})

async function directory(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'llm-gateway-sink-'))
  t.after(() => rm(path, { recursive: true, force: true }))
  return path
}

function unpacked(folder: string, name: string): string {
  return gunzipSync(readFileSync(join(folder, name))).toString()
}

async function records(filename: string): Promise<readonly unknown[]> {
  const text = await readFile(filename, 'utf8')
  assert.ok(text.endsWith('\n'))
  return text
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line))
}

async function contents(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder)).filter((name) => !name.endsWith('.seen')).sort()
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
  return Object.fromEntries(names.map((name, index) => [name.replace(/\d{8}T\d{6}Z/, 'TIME'), texts[index] ?? '']))
}

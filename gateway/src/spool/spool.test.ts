import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { appendFile, mkdir, open, readdir, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { mountedFolder } from '@llm-gateway/test/fake/mounted-folder'
import { startProgram, waitForLine } from '@llm-gateway/test/fake/program'
import { quotaFolder } from '@llm-gateway/test/fake/quota-folder'
import { temporaryFolder } from '@llm-gateway/test/fake/temporary-folder'
import { FRAME_HEAD_BYTES, frameSourceBytes } from './frame.ts'
import { SEGMENT_START } from './segment-file.ts'
import { readAll, source, spoolIn } from './spool-under-test.ts'

const MIB = 1024 * 1024
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1)
const segmentsOf = async (path: string) => (await readdir(path)).filter((name) => name.endsWith('.records')).sort()

async function appendRecords(path: string, serials: readonly number[], size?: number): Promise<void> {
  await using under = await spoolIn(path)
  for (const serial of serials) assert.equal(await under.spool.append([source(serial, size)]), true)
}

test('records are read in the order of writing, over many segments, in this process and the next', async () => {
  await using folder = await temporaryFolder()
  const sizes = [10, 5 * MIB, 0, 300_000, 20 * MIB, 3, 1_000, 7 * MIB, 255_000, 1]
  const batch = sizes.map((size, index) => source(index + 1, size))
  const bytes = batch.reduce((sum, one) => sum + frameSourceBytes(one), 0)
  {
    await using under = await spoolIn(folder.path)
    assert.equal(await under.spool.append(batch.slice(0, 3)), true)
    for (const one of batch.slice(3)) assert.equal(await under.spool.append([one]), true)
    assert.deepEqual([under.spool.records, under.spool.bytes], [10, bytes])
    const first = await under.spool.read()
    assert.deepEqual(
      first?.records.map(({ id }) => id),
      ['id-1'],
    )
  }
  assert.ok((await segmentsOf(folder.path)).length >= 3)
  await using under = await spoolIn(folder.path)
  assert.deepEqual([under.spool.records, under.spool.bytes, under.spool.oldestMs], [10, bytes, 1_700_000_000_001])
  assert.deepEqual(await readAll(under.spool), upTo(10))
  assert.deepEqual([under.spool.records, under.spool.bytes, under.spool.oldestMs], [0, 0, undefined])
  assert.deepEqual(await segmentsOf(folder.path), [])
  assert.deepEqual(under.lost.entries, [])
})

test('records are written while others are read, none is missed and none comes twice', async () => {
  await using folder = await temporaryFolder()
  await using under = await spoolIn(folder.path)
  const writing = (async () => {
    for (const serial of upTo(2_000)) await under.spool.append([source(serial, serial % 5_000)])
  })()
  const seen: number[] = []
  while (seen.length < 2_000) {
    seen.push(...(await readAll(under.spool)))
    await new Promise((resolve) => setImmediate(resolve))
  }
  await writing
  assert.deepEqual([under.spool.bytes, seen], [0, upTo(2_000)])
})

test('records that are read but not removed are read again, also by the next process', async () => {
  await using folder = await temporaryFolder()
  await appendRecords(folder.path, upTo(3))
  {
    await using under = await spoolIn(folder.path)
    assert.equal((await under.spool.read())?.records.length, 3)
    assert.equal((await under.spool.read())?.records.length, 3)
  }
  await using under = await spoolIn(folder.path)
  assert.deepEqual(await readAll(under.spool), upTo(3))
})

test('a torn end is cut off and counted, wherever it was torn', async () => {
  const whole = FRAME_HEAD_BYTES + 'id-3'.length + Buffer.concat(source(3).pieces).length
  for (const missing of [1, 5, whole - FRAME_HEAD_BYTES - 2, whole - FRAME_HEAD_BYTES + 1, whole - 1]) {
    await using folder = await temporaryFolder()
    await appendRecords(folder.path, upTo(3))
    const [name = ''] = await segmentsOf(folder.path)
    const path = join(folder.path, name)
    await truncate(path, (await stat(path)).size - missing)
    await using under = await spoolIn(folder.path)
    assert.deepEqual(under.lost.entries, ['1 damaged'], `${missing} bytes missing`)
    assert.equal(under.spool.records, 2)
    assert.deepEqual(await readAll(under.spool), [1, 2])
  }
})

test('a torn end is counted once, however many processes find its segment', async () => {
  await using folder = await temporaryFolder()
  await appendRecords(folder.path, upTo(3))
  const [name = ''] = await segmentsOf(folder.path)
  const path = join(folder.path, name)
  await truncate(path, (await stat(path)).size - 1)
  {
    await using under = await spoolIn(folder.path)
    assert.deepEqual(under.lost.entries, ['1 damaged'])
  }
  await using next = await spoolIn(folder.path)
  assert.deepEqual(next.lost.entries, [])
  assert.deepEqual(await readAll(next.spool), [1, 2])
})

test('a torn end beside a journal isn’t counted, since the journal still has its records', async () => {
  await using folder = await temporaryFolder()
  await appendRecords(folder.path, upTo(3))
  const [name = ''] = await segmentsOf(folder.path)
  const path = join(folder.path, name)
  await truncate(path, (await stat(path)).size - 1)
  {
    // The entry is never settled, as in a process that was killed while the spool took its record.
    await using killed = await spoolIn(folder.path)
    await killed.spool.journal(source(3))
  }
  await using under = await spoolIn(folder.path)
  assert.deepEqual(under.lost.entries, [])
  assert.deepEqual(await readAll(under.spool), [1, 2, 3])
})

test('a changed byte costs one record, a huge size in a head costs the rest of the segment, and both losses are counted', async () => {
  const cases: readonly (readonly [string, number, readonly number[], number])[] = [
    ['a byte of the JSON', FRAME_HEAD_BYTES + 20, [2, 3], 1],
    ['a byte of the id', FRAME_HEAD_BYTES + 1, [2, 3], 1],
    ['the size', 4 + 3, [], 1],
  ]
  for (const [what, at, expected, lost] of cases) {
    await using folder = await temporaryFolder()
    await appendRecords(folder.path, upTo(3))
    const [name = ''] = await segmentsOf(folder.path)
    const file = await open(join(folder.path, name), 'r+')
    await file.write(Buffer.from([0xff]), 0, 1, SEGMENT_START.length + at)
    await file.close()
    await using under = await spoolIn(folder.path)
    assert.deepEqual(await readAll(under.spool), expected, what)
    assert.equal(under.lost.entries.length, lost, what)
    assert.equal(under.spool.records, 0)
  }
})

test('a time that no date has damages its record, whatever its checksum, and the status stays readable', async () => {
  for (const createdMs of [Number.NaN, Number.POSITIVE_INFINITY, 1e300, -8.64e15 - 1]) {
    await using folder = await temporaryFolder()
    {
      await using under = await spoolIn(folder.path)
      assert.equal(await under.spool.append([source(1), { ...source(2), createdMs }]), true)
      assert.equal(await under.spool.append([{ ...source(3), createdMs: -8.64e15 }]), true)
    }
    await using under = await spoolIn(folder.path)
    assert.equal(under.spool.status.oldest_spooled, '2023-11-14T22:13:20.001Z')
    assert.deepEqual(await readAll(under.spool), [1], `${createdMs}`)
    assert.deepEqual(under.lost.entries, ['1 damaged'])
  }
  await using folder = await temporaryFolder()
  {
    await using under = await spoolIn(folder.path)
    await under.spool.append([{ ...source(1), createdMs: Number.NaN }])
  }
  await using under = await spoolIn(folder.path)
  assert.deepEqual([under.spool.status.oldest_spooled, under.lost.entries], [undefined, ['1 damaged']])
})

test('the records of a vanished segment are counted as damaged, and the next segment is read', async () => {
  await using folder = await temporaryFolder()
  await using under = await spoolIn(folder.path)
  for (const serial of upTo(3)) await under.spool.append([source(serial, 6 * MIB)])
  const [first = ''] = await segmentsOf(folder.path)
  await rm(join(folder.path, first))
  assert.deepEqual(await readAll(under.spool), [2, 3])
  assert.deepEqual(under.lost.entries, ['1 damaged'])
})

test('foreign files, segments of other versions and malformed segments stay and are logged', async () => {
  await using folder = await temporaryFolder()
  await appendRecords(folder.path, [1])
  await writeFile(join(folder.path, 'notes.txt'), 'mine')
  await writeFile(join(folder.path, '000000000002.records'), 'GLSPOOL2 and so on')
  await writeFile(join(folder.path, '000000000003.records'), Buffer.alloc(100_000, 0xee))
  await mkdir(join(folder.path, '000000000004.records'))
  await symlink('/dev/zero', join(folder.path, '000000000005.records'))
  await appendFile(join(folder.path, 'lost.json'), '{broken')
  await using under = await spoolIn(folder.path)
  const warned = under.lines.entries.filter(({ level }) => level === 'WARN')
  assert.deepEqual(
    warned.map(({ msg, fields }) => [msg, fields.files ?? fields.file, fields.code]),
    [
      ['spool folder contains foreign files', 3, undefined],
      ['unreadable spool segment was left in place', '000000000002.records', 'other version'],
      ['unreadable spool segment was left in place', '000000000003.records', 'no segment'],
    ],
  )
  assert.equal(await under.spool.append([source(2)]), true)
  assert.deepEqual(await readAll(under.spool), [1, 2])
  assert.equal(await readFile(join(folder.path, 'notes.txt'), 'utf8'), 'mine')
  assert.deepEqual(
    await segmentsOf(folder.path),
    upTo(5)
      .slice(1)
      .map((number) => `00000000000${number}.records`),
  )
})

test('a full spool accepts no records, logs that once, and accepts records again after a removal', async () => {
  await using folder = await temporaryFolder()
  await using under = await spoolIn(folder.path, { maxBytes: 50_000, nowMs: () => clock.now })
  const clock = { now: 0 }
  // Each record is of another router, since one router can't fill the spool.
  const append = (serial: number) => under.spool.append([source(serial, 11_000, false, `/${serial}/`)])
  for (const serial of upTo(4)) assert.equal(await append(serial), true)
  for (const serial of [5, 6]) {
    assert.equal(await append(serial), false)
    assert.equal(under.spool.acceptsRecords, false)
    clock.now += 1_000
  }
  assert.deepEqual([under.spool.status.spool, under.spool.status.spool_code], ['on', 'SPOOL_FULL'])
  assert.equal(under.lines.entries.filter(({ msg }) => msg === 'spool accepts no records').length, 1)
  assert.deepEqual(await readAll(under.spool), upTo(4))
  clock.now += 2_000
  assert.equal(under.spool.status.spool_code, undefined)
  assert.equal(await under.spool.append([source(7)]), true)
  assert.equal(under.spool.status.spool_code, undefined)
  assert.deepEqual(under.lines.entries.map(({ msg }) => msg).slice(-1), ['spool folder is usable again'])
})

test('a folder belongs to one process: a second process logs that and takes over once the first has ended or was killed', async () => {
  await using folder = await temporaryFolder()
  const program = `
    import { lockFolder } from ${JSON.stringify(join(import.meta.dirname, 'folder-lock.ts'))}
    console.log((await lockFolder(${JSON.stringify(folder.path)})).kind)
    setInterval(() => undefined, 1_000)`
  await using other = await startProgram({
    command: process.execPath,
    args: ['--input-type=module', '-e', program],
  })
  await waitForLine(other, /locked/)
  await using under = await spoolIn(folder.path)
  assert.deepEqual([under.spool.status.spool, under.spool.status.spool_code], ['off', 'SPOOL_TAKEN'])
  assert.equal(await under.spool.append([source(1)]), false)
  const [line] = under.lines.entries
  assert.deepEqual([line?.level, line?.msg, line?.fields.code], ['WARN', 'spool folder is not usable', 'SPOOL_TAKEN'])
  other.kill('SIGKILL')
  await under.lines.waitFor(({ msg }) => msg === 'spool folder is usable again')
  assert.equal(under.lines.total, 2)
  assert.equal(await under.spool.append([source(1)]), true)
})

test('two spools of one process don’t share a folder, and a damaged lock file locks nothing', async () => {
  await using folder = await temporaryFolder()
  await writeFile(join(folder.path, 'lock'), Buffer.alloc(5_000, 0xab))
  await using one = await spoolIn(folder.path)
  assert.equal(one.spool.status.spool, 'on')
  await using other = await spoolIn(folder.path)
  assert.equal(other.spool.status.spool_code, 'SPOOL_TAKEN')
})

test('a folder that is missing is made, with its parents, for this user alone', async () => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'a', 'b')
  await appendRecords(path, [1])
  assert.equal((await stat(path)).mode & 0o777, 0o700)
  const [name = ''] = await segmentsOf(path)
  assert.equal((await stat(join(path, name))).mode & 0o777, 0o600)
})

test('a file in the folder’s place is logged, and the folder is used once the file is replaced', async () => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'spool')
  await writeFile(path, 'a file')
  await using under = await spoolIn(path)
  assert.deepEqual([under.spool.status.spool, under.spool.status.spool_code], ['off', 'EEXIST'])
  await rm(path)
  await under.lines.waitFor(({ msg }) => msg === 'spool folder is usable again')
})

const mountOrSkip = async (t: TestContext, options: string) => {
  const folder = await mountedFolder(options)
  if (folder === undefined) t.skip('may not mount a file system')
  return folder
}

test('a read-only folder is logged, and used once it is writable', async (t) => {
  await using folder = await mountOrSkip(t, 'ro,size=4m')
  if (folder === undefined) return
  await using under = await spoolIn(join(folder.path, 'spool'))
  assert.deepEqual([under.spool.status.spool, under.spool.status.spool_code], ['off', 'EROFS'])
  folder.remount('rw')
  await under.lines.waitFor(({ msg }) => msg === 'spool folder is usable again')
  assert.equal(await under.spool.append([source(1)]), true)
})

test('a read-only folder with an old lock file is logged too', async (t) => {
  await using folder = await mountOrSkip(t, 'size=4m')
  if (folder === undefined) return
  await appendRecords(folder.path, [1])
  folder.remount('ro')
  await using under = await spoolIn(folder.path)
  assert.equal(under.spool.status.spool, 'off')
  folder.remount('rw')
  await under.lines.waitFor(({ msg }) => msg === 'records found in the spool')
  assert.deepEqual(await readAll(under.spool), [1])
})

test('a full disk stores all of a batch or nothing, is logged, and is used again when it has room', async (t) => {
  await using folder = await mountOrSkip(t, 'size=1m')
  if (folder === undefined) return
  const clock = { now: 0 }
  await using under = await spoolIn(folder.path, { nowMs: () => clock.now })
  let taken = 0
  while (await under.spool.append([source(taken + 1, 50_000), source(taken + 2, 50_000)])) taken += 2
  assert.ok(taken > 10 && taken < 21, `${taken} records of 50 KB in 1 MiB`)
  assert.equal(under.spool.status.spool_code, 'ENOSPC')
  const [warned] = under.lines.entries.filter(({ level }) => level === 'WARN')
  assert.deepEqual([warned?.msg, warned?.fields.code], ['spool accepts no records', 'ENOSPC'])
  folder.remount('size=4m')
  clock.now += 1_000
  assert.equal(await under.spool.append([source(taken + 1)]), true)
  assert.deepEqual(await readAll(under.spool), upTo(taken + 1))
  assert.deepEqual(under.lost.entries, [])
})

test('a used-up quota is named EDQUOT, and records are taken again when there is room', async (t) => {
  await using folder = await quotaFolder(4, process.env)
  if (folder === undefined) return t.skip('may not mount a btrfs')
  const clock = { now: 0 }
  await using under = await spoolIn(folder.path, { nowMs: () => clock.now })
  folder.fill()
  assert.equal(await under.spool.append([source(1, 2 * MIB)]), false)
  const [warned] = under.lines.entries.filter(({ level }) => level === 'WARN')
  assert.deepEqual([warned?.msg, warned?.fields.code], ['spool accepts no records', 'EDQUOT'])
  assert.equal(under.spool.status.spool_code, 'EDQUOT')
  folder.free()
  clock.now += 1_000
  assert.equal(await under.spool.append([source(1)]), true)
  assert.deepEqual(await readAll(under.spool), [1])
  assert.deepEqual(under.lost.entries, [])
})

test('without free file descriptors records are refused with EMFILE, and taken again when there are some', async () => {
  await using folder = await temporaryFolder()
  const program = `
    import { closeSync, openSync } from 'node:fs'
    import { readAll, source, spoolIn } from ${JSON.stringify(join(import.meta.dirname, 'spool-under-test.ts'))}
    const { spool, lines, lost } = await spoolIn(${JSON.stringify(folder.path)})
    const held = []
    try { for (;;) held.push(openSync('/dev/null')) } catch ({ code }) { if (code !== 'EMFILE') throw code }
    const refused = await spool.append([source(1)])
    const code = spool.status.spool_code
    for (const file of held) closeSync(file)
    while (!(await spool.append([source(1)]))) await new Promise((resolve) => setTimeout(resolve, 100))
    const warned = lines.entries.filter(({ level }) => level === 'WARN').map(({ msg }) => msg)
    console.log(JSON.stringify([refused, code, warned, await readAll(spool), lost.entries]))
    process.exit()`
  const limited = ['-c', 'ulimit -n 200; exec "$0" --input-type=module -e "$1"', process.execPath, program]
  const { stdout, stderr } = spawnSync('sh', limited, { timeout: 60_000, encoding: 'utf8' })
  assert.deepEqual(JSON.parse(stdout || `"${stderr}"`), [false, 'EMFILE', ['spool accepts no records'], [1], []])
})

test('a limit on file sizes doesn’t end the process: records beyond it are refused with its code', async () => {
  await using folder = await temporaryFolder()
  const program = `
    import { spoolIn, source } from ${JSON.stringify(join(import.meta.dirname, 'spool-under-test.ts'))}
    const { spool } = await spoolIn(${JSON.stringify(folder.path)})
    let taken = 0
    while (await spool.append([source(taken + 1, 50_000)])) taken += 1
    console.log(JSON.stringify([taken, spool.status.spool_code]))
    process.exit()`
  const limited = ['-c', 'ulimit -f 2000; exec "$0" --input-type=module -e "$1"', process.execPath, program]
  const { stdout } = spawnSync('sh', limited, { timeout: 60_000, encoding: 'utf8' })
  const [taken, code] = JSON.parse(stdout)
  assert.ok(taken > 10, `${taken} records`)
  assert.equal(code, 'EFBIG')
  await using under = await spoolIn(folder.path)
  assert.deepEqual(await readAll(under.spool), upTo(taken))
  assert.deepEqual(under.lost.entries, [])
})

test('the next process continues the counts of lost records', async () => {
  await using folder = await temporaryFolder()
  for (const expected of [undefined, 3, 6]) {
    await using under = await spoolIn(folder.path)
    assert.equal(under.lostBefore.entries[0]?.get('queue_full'), expected)
    under.spool.countLost(2, 'queue_full')
    under.spool.countLost(1, 'queue_full')
    under.spool.countLost(1, 'exit')
  }
})

test('a process that is killed while it writes leaves whole records and at most a torn end', async () => {
  await using folder = await temporaryFolder()
  const program = `
    import { spoolIn, source } from ${JSON.stringify(join(import.meta.dirname, 'spool-under-test.ts'))}
    const { spool } = await spoolIn(${JSON.stringify(folder.path)})
    for (let serial = 1; ; serial += 1) {
      await spool.append([source(serial, 100_000)])
      if (serial === 200) process.kill(process.pid, 'SIGKILL')
    }`
  spawnSync(process.execPath, ['--input-type=module', '-e', program], { timeout: 60_000 })
  await using under = await spoolIn(folder.path)
  assert.deepEqual((await readAll(under.spool)).slice(0, 200), upTo(200))
})

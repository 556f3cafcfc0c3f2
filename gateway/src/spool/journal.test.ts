import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { promisify } from 'node:util'
import { mountedFolder } from '@llm-gateway/test/fake/mounted-folder'
import { temporaryFolder } from '@llm-gateway/test/fake/temporary-folder'
import { Journal, type JournalEntry } from './journal.ts'
import { RouterShares } from './router-shares.ts'
import { Spool, type SpoolOptions } from './spool.ts'
import { readAll, type SpoolUnderTest, source, spoolIn } from './spool-under-test.ts'

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1)

const journalsOf = async (path: string) => (await readdir(path)).filter((name) => name.endsWith('.journal'))

function spoolOptions(): Omit<SpoolOptions, 'directory'> {
  const ignore = (): void => undefined
  const logger = { info: ignore, warn: ignore }
  return { maxBytes: 1_000_000, logger, onLost: ignore, onEarlierLosses: ignore, onChange: ignore, waitMs: 2_000 }
}

async function journalRecords({ spool }: SpoolUnderTest, serials: readonly number[], size?: number) {
  return await Promise.all(serials.map((serial) => spool.journal(source(serial, size, true))))
}

test('the next process sends unsettled journal entries after the spooled records', async () => {
  await using folder = await temporaryFolder()
  {
    await using under = await spoolIn(folder.path)
    const entries = await journalRecords(under, upTo(50), 1_000)
    assert.ok(entries.every((entry) => entry !== undefined))
    entries[9]?.settle()
    assert.equal(await under.spool.append([source(10), source(51)]), true)
    assert.equal(under.spool.records, 2)
  }
  await using under = await spoolIn(folder.path)
  assert.equal(under.spool.records, 52)
  assert.deepEqual(await readAll(under.spool), [10, 51, ...upTo(50)])
})

test('records of some megabytes that came during a write are written by one more write', async () => {
  await using folder = await temporaryFolder()
  await using under = await spoolIn(folder.path)
  const [first, rest] = [under.spool.journal(source(1)), upTo(38)]
  let [ended, writes] = [0, 0]
  const all = rest.map(async (serial) => {
    await under.spool.journal(source(serial, 100_000, true))
    // The calls of one write go on in one turn.
    if (ended === 0) setImmediate(() => (ended = 0))
    if (ended === 0) writes += 1
    ended += 1
  })
  await Promise.all([first, ...all])
  assert.equal(writes, 1)
})

test('records that came during a write end a few hundred in each turn', async () => {
  await using folder = await temporaryFolder()
  await using under = await spoolIn(folder.path)
  const most = 256
  let ended = 0
  const all = upTo(5 * most).map(async (serial) => {
    await under.spool.journal(source(serial, 10, true))
    ended += 1
  })
  for (let before = 0; ended < all.length; before = ended) {
    await nextTurn()
    assert.ok(ended - before <= most, `${ended - before} records`)
  }
  await Promise.all(all)
})

test('a record that comes before the folder is open is journalled once it is', async () => {
  await using folder = await temporaryFolder()
  const spool = new Spool({ ...spoolOptions(), directory: folder.path })
  assert.equal(spool.acceptsRecords, false)
  assert.notEqual(await spool.journal(source(1)), undefined)
  await spool.close()
  await using under = await spoolIn(folder.path)
  assert.deepEqual(await readAll(under.spool), [1])
})

test('a record isn’t journalled while the disk hangs at the opening of the folder, and its call doesn’t wait', async () => {
  await using folder = await temporaryFolder()
  const pipe = join(folder.path, 'pipe')
  await promisify(execFile)('mkfifo', [pipe])
  // Opening a pipe waits for its other end: the threads for files are all busy then, as with a share that hangs.
  const hung = Array.from({ length: Number(process.env.UV_THREADPOOL_SIZE ?? 4) }, () => open(pipe, 'r'))
  const spool = new Spool({ ...spoolOptions(), directory: join(folder.path, 'spool'), waitMs: 10 })
  assert.equal(await spool.journal(source(1)), undefined)
  assert.equal(spool.state, 'opening')
  const otherEnd = openSync(pipe, 'r+')
  await spool.opened
  assert.notEqual(await spool.journal(source(2)), undefined)
  for (const file of await Promise.all(hung)) await file.close()
  closeSync(otherEnd)
  await spool.close()
})

test('a fully settled journal segment is removed, during writing and at the end', async () => {
  await using folder = await temporaryFolder()
  {
    await using under = await spoolIn(folder.path)
    for (const first of [1, 11, 21, 31]) {
      const entries = await journalRecords(
        under,
        upTo(10).map((serial) => serial + first),
        1_000_000,
      )
      for (const entry of entries) {
        entry?.settle()
        entry?.settle()
      }
      assert.ok((await journalsOf(folder.path)).length <= 3)
    }
    await journalShrinks(folder.path, 0)
    const full = await journalRecords(under, [97, 98], 9_000_000)
    const [entry] = await journalRecords(under, [99])
    for (const last of [...full, entry]) last?.settle()
  }
  assert.deepEqual(await journalsOf(folder.path), [])
})

test('after a burst a full segment keeps its unsettled records only, also when no record follows', async () => {
  await using folder = await temporaryFolder()
  {
    await using under = await spoolIn(folder.path, { maxBytes: 4_000_000 })
    // The first record is being written when the others come, so that these share a segment four times as large as others.
    const entries = await journalRecords(under, upTo(41), 50_000)
    for (const entry of entries.slice(1)) entry?.settle()
    await journalShrinks(folder.path, 60_000)
    entries[0]?.settle()
    await journalShrinks(folder.path, 0)
    const [kept] = await journalRecords(under, [99])
    assert.notEqual(kept, undefined)
  }
  await using under = await spoolIn(folder.path)
  assert.deepEqual(await readAll(under.spool), [99])
})

test('no file stays of records that are settled while they are written anew', async () => {
  await using folder = await temporaryFolder()
  let segments = 0
  let first: JournalEntry | undefined
  const nextPath = (): string => {
    segments += 1
    // The second segment is begun for the first record, which is to be written anew.
    if (segments === 2) first?.settle()
    return join(folder.path, `${segments}.journal`)
  }
  const journal = new Journal({
    shares: new RouterShares(1_000_000),
    maxBytes: 8_000,
    nextPath,
    onFailure: (error) => assert.fail(String(error)),
  })
  const entries = await Promise.all([journal.append(source(1)), journal.append(source(2, 5_000))])
  first = entries[0]
  entries[1]?.settle()
  await journalShrinks(folder.path, 0)
  assert.equal(segments, 2)
  await journal.close()
})

test('a record that can’t be written counts for no router', async () => {
  await using folder = await temporaryFolder()
  const shares = new RouterShares(1_000_000)
  const nextPath = (): string => join(folder.path, 'missing', '1.journal')
  const journal = new Journal({ shares, maxBytes: 8_000, nextPath, onFailure: () => undefined })
  const written = journal.append(source(1))
  assert.ok(shares.bytesOf('/a/') > 0)
  assert.deepEqual([await written, shares.bytesOf('/a/')], [undefined, 0])
  await journal.close()
})

test('no file stays of a record that the disk didn’t take', async (t) => {
  await using folder = await mountedFolder('size=1m')
  if (folder === undefined) return t.skip('may not mount a file system')
  await using under = await spoolIn(folder.path)
  assert.deepEqual(await journalRecords(under, [1], 2_000_000), [undefined])
  await journalShrinks(folder.path, 0)
})

test('no file stays once all records are settled, in any order and while others are written', async () => {
  await Promise.all(
    upTo(20).map(async (seed) => {
      await using folder = await temporaryFolder()
      await using under = await spoolIn(folder.path, { maxBytes: 1_000_000 })
      let open: readonly (JournalEntry | undefined)[] = []
      for (let round = 1; round <= 10; round += 1) {
        const serials = upTo(20).map((serial) => 20 * round + serial)
        const written = journalRecords(under, serials, (seed * round * 997) % 10_000)
        const [settled, others] = [open.filter((_, at) => (at * seed) % 4 > 0), open]
        for (const entry of settled) entry?.settle()
        open = [...others.filter((entry) => !settled.includes(entry)), ...(await written)]
      }
      for (const entry of open) entry?.settle()
      await journalShrinks(folder.path, 0)
    }),
  )
})

test('on an unwritable disk journalling resolves at once without an entry', async () => {
  await using folder = await temporaryFolder()
  await using under = await spoolIn(folder.path)
  await using other = await spoolIn(folder.path)
  assert.deepEqual(await journalRecords(other, [1]), [undefined])
  assert.equal((await journalRecords(under, [1])).length, 1)
})

test('one unsettled record keeps no segment of settled ones, and the next process still finds it', async () => {
  await using folder = await temporaryFolder()
  const maxBytes = 4_000_000
  {
    await using under = await spoolIn(folder.path, { maxBytes })
    const [kept] = await journalRecords(under, [1], 1_000)
    for (const serial of upTo(100)) {
      const entries = await journalRecords(under, [1_000 + serial, 2_000 + serial], 50_000)
      // Every tenth record of the second kind stays unsettled, too.
      entries[0]?.settle()
      if (serial % 10 > 0) entries[1]?.settle()
      assert.ok(under.spool.usedBytes < 3_000_000, `${under.spool.usedBytes}`)
    }
    const names = await journalsOf(folder.path)
    const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder.path, name))).size))
    const bytes = sizes.reduce((sum, size) => sum + size, 0)
    assert.ok(bytes < 3_000_000, `${bytes} bytes in ${names.length} segments`)
    assert.equal(under.spool.status.journal_bytes, bytes)
    kept?.settle()
    kept?.settle()
  }
  await using under = await spoolIn(folder.path)
  const found = await readAll(under.spool)
  const unsettled = upTo(10).map((ten) => 2_000 + ten * 10)
  assert.deepEqual(
    unsettled.filter((serial) => !found.includes(serial)),
    [],
  )
  assert.deepEqual(under.lost.entries, [])
})

test('the journal counts in the most bytes of the spool', async () => {
  await using folder = await temporaryFolder()
  await using under = await spoolIn(folder.path, { maxBytes: 100_000 })
  const [one] = await journalRecords(under, [1], 90_000)
  // The first segment is full and is being closed.
  assert.ok(under.spool.usedBytes > 90_000)
  assert.equal(await under.spool.append([source(2, 20_000)]), false)
  assert.equal(under.spool.status.spool_code, 'SPOOL_FULL')
  assert.equal(await under.spool.append([source(2, 20_000)]), false)
  one?.settle()
})

/** Waits until the files of the journal have at most that many bytes. */
async function journalShrinks(directory: string, most: number): Promise<void> {
  const end = performance.now() + 60_000
  for (;;) {
    const names = await journalsOf(directory)
    const sizes = await Promise.all(names.map((name) => stat(join(directory, name)).catch(() => ({ size: 0 }))))
    const bytes = sizes.reduce((sum, { size }) => sum + size, 0)
    if (most === 0 ? names.length === 0 : bytes <= most) return
    assert.ok(performance.now() < end, `${bytes} bytes in ${names.length} files`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

import assert from 'node:assert/strict'
import { mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '@llm-gateway/test/fake/temporary-folder'
import { readEntries } from './spool-entries.ts'
import { readAll, source, spoolIn } from './spool-under-test.ts'

const MIB = 1024 * 1024
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1)
const segmentsOf = async (path: string) => (await readdir(path)).filter((name) => name.endsWith('.records')).sort()

test('a folder that is removed while it is used is made again', async () => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'spool')
  await using under = await spoolIn(path)
  await under.spool.append([source(1)])
  assert.deepEqual(await readAll(under.spool), [1])
  await rm(path, { recursive: true })
  assert.equal(await under.spool.append([source(2)]), true)
  assert.deepEqual(await readAll(under.spool), [2])
})

test('records removed with their folder are counted as lost, except those of the segment being read', async () => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'spool')
  {
    await using under = await spoolIn(path)
    under.spool.countLost(7, 'queue_full')
    // Each record has its own segment; the first segment is being read.
    for (const serial of upTo(4)) await under.spool.append([source(serial, 6 * MIB)])
    const batch = await under.spool.read()
    assert.equal(batch?.records.length, 1)
    await rm(path, { recursive: true })
    await under.lost.waitFor(() => true)
    assert.deepEqual(under.lost.entries, ['3 removed'])
    assert.equal(under.spool.records, 1)
    if (batch !== undefined) await under.spool.remove(batch)
    assert.deepEqual([under.spool.records, under.spool.bytes], [0, 0])
    under.spool.countLost(3, 'removed')
    assert.equal(await under.spool.append([source(5)]), true)
  }
  await using next = await spoolIn(path)
  assert.deepEqual([...(next.lostBefore.entries[0] ?? [])].sort(), [
    ['queue_full', 7],
    ['removed', 3],
  ])
  assert.deepEqual(await readAll(next.spool), [5])
})

test('a segment that is being read when its folder is removed is read to its end', async () => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'spool')
  await using under = await spoolIn(path)
  await under.spool.append(upTo(100).map((serial) => source(serial, 10_000)))
  const first = await under.spool.read()
  assert.ok(first !== undefined && first.records.length < 100)
  await rm(path, { recursive: true })
  assert.equal(await under.spool.append([source(101)]), true)
  assert.deepEqual(await readAll(under.spool), upTo(101))
  assert.deepEqual(under.lost.entries, [])
})

test('a process that ends after its folder was removed counts the removed records as lost', async () => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'spool')
  for (const remove of [
    () => rm(path, { recursive: true }),
    async () => rm(join(path, (await segmentsOf(path)).at(-1) ?? '')),
  ]) {
    const under = await spoolIn(path)
    await under.spool.append(upTo(3).map((serial) => source(serial)))
    await remove()
    await under.spool.close()
    assert.deepEqual(under.lost.entries, ['3 removed'])
    await using next = await spoolIn(path)
    assert.equal(next.spool.records, 0)
  }
})

test('a file in the folder’s place is logged and stops the spool until it is removed; losses are still counted', async () => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'spool')
  {
    await using under = await spoolIn(path)
    await under.spool.append(upTo(2).map((serial) => source(serial)))
    await rm(path, { recursive: true })
    await writeFile(path, 'a file')
    assert.equal(await under.spool.append([source(3)]), false)
    assert.deepEqual([under.spool.status.spool, under.spool.status.spool_code], ['off', 'EEXIST'])
    assert.deepEqual(under.lost.entries, ['2 removed'])
    under.spool.countLost(2, 'removed')
    under.spool.countLost(1, 'queue_full')
    await rm(path)
    await under.lines.waitFor(({ msg }) => msg === 'spool folder is usable again')
    assert.equal(await under.spool.append([source(4)]), true)
  }
  await using next = await spoolIn(path)
  assert.deepEqual(Object.fromEntries(next.lostBefore.entries[0] ?? []), { removed: 2, queue_full: 1 })
  assert.deepEqual(await readAll(next.spool), [4])
})

test('losses before the folder is usable are counted by the next process too', async () => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'spool')
  await writeFile(path, 'a file')
  {
    await using under = await spoolIn(path)
    under.spool.countLost(5, 'queue_full')
    await rm(path)
    await under.lines.waitFor(({ msg }) => msg === 'spool folder is usable again')
  }
  await using next = await spoolIn(path)
  assert.deepEqual(Object.fromEntries(next.lostBefore.entries[0] ?? []), { queue_full: 5 })
})

test('records written beside a segment with the largest number are read by the next process', async () => {
  const largest = ['999999999999.records', '999999999999.journal', '900000000000.records', '900000000001.records']
  for (const name of largest) {
    await using folder = await temporaryFolder()
    {
      await using under = await spoolIn(folder.path)
      await under.spool.append([source(1)])
    }
    const [left = ''] = await segmentsOf(folder.path)
    await rename(join(folder.path, left), join(folder.path, name))
    for (const serial of [2, 3]) {
      await using under = await spoolIn(folder.path)
      assert.equal(await under.spool.append([source(serial)]), true)
    }
    await using under = await spoolIn(folder.path)
    assert.deepEqual((await readAll(under.spool)).toSorted(), [1, 2, 3], name)
    assert.deepEqual([under.lost.entries, await segmentsOf(folder.path)], [[], []])
  }
})

test('directories and links with the names of segments give no number, and their names aren’t used', async () => {
  await using folder = await temporaryFolder()
  for (const digits of ['999999999999', '000000000001', '000000000002']) {
    await mkdir(join(folder.path, `${digits}.records`))
    await symlink('/dev/zero', join(folder.path, `${digits}.journal`))
  }
  await using under = await spoolIn(folder.path)
  assert.equal(await under.spool.append([source(1)]), true)
  assert.notEqual(await under.spool.journal(source(2)), undefined)
  const files = (await readdir(folder.path, { withFileTypes: true })).filter((entry) => entry.isFile())
  const numbers = files.map(({ name }) => name).filter((name) => name !== 'lock' && name !== 'lost.json')
  assert.deepEqual(numbers.toSorted(), ['000000000003.records', '000000000004.journal'])
  assert.deepEqual(await readAll(under.spool), [1])
})

test('a folder may have any number of foreign entries', () => {
  const foreign = upTo(200_000).map((serial) => ({ name: String(serial), isFile: () => true }))
  const ours = { name: '000000000007.records', isFile: () => true }
  const segments = ['000000000007.records']
  assert.deepEqual(readEntries([...foreign, ours]), { segments, foreignFiles: 200_000, nextNumber: 8 })
})

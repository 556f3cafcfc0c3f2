import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { test } from 'node:test'
import { temporaryFolder } from '@llm-gateway/test/fake/temporary-folder'
import { Spool } from './spool.ts'
import { readAll, type SpoolUnderTest, source, spoolIn } from './spool-under-test.ts'

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1)

const journalsOf = async (path: string) => (await readdir(path)).filter((name) => name.endsWith('.journal'))

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

test('a record that comes before the folder is open is journalled once it is', async () => {
  await using folder = await temporaryFolder()
  const logger = { info: () => undefined, warn: () => undefined }
  const ignore = (): void => undefined
  const options = { maxBytes: 1_000_000, logger, onLost: ignore, onEarlierLosses: ignore, onChange: ignore }
  const spool = new Spool({ ...options, directory: folder.path })
  assert.equal(spool.acceptsRecords, false)
  assert.notEqual(await spool.journal(source(1)), undefined)
  await spool.close()
  await using under = await spoolIn(folder.path)
  assert.deepEqual(await readAll(under.spool), [1])
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
    const end = performance.now() + 60_000
    while ((await journalsOf(folder.path)).length > 0) {
      assert.ok(performance.now() < end)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    const [entry] = await journalRecords(under, [99])
    entry?.settle()
  }
  assert.deepEqual(await journalsOf(folder.path), [])
})

test('on an unwritable disk journalling resolves at once without an entry', async () => {
  await using folder = await temporaryFolder()
  await using under = await spoolIn(folder.path)
  await using other = await spoolIn(folder.path)
  assert.deepEqual(await journalRecords(other, [1]), [undefined])
  assert.equal((await journalRecords(under, [1])).length, 1)
})

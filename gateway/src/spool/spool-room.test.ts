import assert from 'node:assert/strict'
import { test } from 'node:test'
import { temporaryFolder } from '@llm-gateway/test/fake/temporary-folder'
import { SpoolRoom } from './spool-room.ts'
import { readAll, source, spoolIn } from './spool-under-test.ts'

const MAX_BYTES = 100_000
/** Ten records fill the spool nearly. */
const SIZE = 9_700

test('a router with more than a quarter of the spool leaves the last quarter to the other routers', async () => {
  await using folder = await temporaryFolder()
  await using under = await spoolIn(folder.path, { maxBytes: MAX_BYTES })
  const { spool } = under
  const append = (serial: number, router: string) => spool.append([source(serial, SIZE, false, router)])
  for (let serial = 1; serial <= 7; serial += 1) assert.equal(await append(serial, '/large/'), true)
  assert.equal(await append(8, '/large/'), false)
  assert.equal(await spool.journal(source(8, SIZE, true, '/large/')), undefined)
  assert.equal(spool.acceptsRecords, true)
  const entry = await spool.journal(source(8, SIZE, true, '/other/'))
  assert.equal(await append(9, '/other/'), true)
  // A third record would be more than a quarter, with the journalled one.
  assert.equal(await append(10, '/other/'), false)
  entry?.settle()
  assert.deepEqual(await readAll(spool), [1, 2, 3, 4, 5, 6, 7, 9])
  assert.deepEqual([spool.room.shares.bytesOf('/large/'), spool.room.shares.bytesOf('/other/')], [0, 0])
  assert.equal(await append(11, '/large/'), true)
})

test('the records of a batch count for their router, and the last batch of a process uses all of the room', async () => {
  await using folder = await temporaryFolder()
  await using under = await spoolIn(folder.path, { maxBytes: MAX_BYTES })
  const { spool } = under
  await spool.append([source(1, SIZE, false, '/other/')])
  const batch = [2, 3, 4, 5, 6, 7, 8].map((serial) => source(serial, SIZE, false, '/large/'))
  const { admits } = spool.room.admission()
  assert.deepEqual(
    batch.map(({ router }) => admits(router, SIZE + 60)),
    [true, true, true, true, true, true, false],
  )
  assert.equal(await spool.append(batch), false)
  assert.equal(await spool.append(batch, true), true)
  assert.deepEqual(await readAll(spool), [1, 2, 3, 4, 5, 6, 7, 8])
})

test('a record that does not fit into the rest of the spool stops neither its smaller records nor those of others', async () => {
  const MIB = 1024 * 1024
  await using folder = await temporaryFolder()
  await using under = await spoolIn(folder.path, { maxBytes: 24 * MIB })
  const { spool } = under
  for (const router of ['/a/', '/b/', '/c/', '/d/']) await spool.append([source(1, 4.9 * MIB, false, router)])
  const [large, small] = [source(2, 5.5 * MIB, false, '/e/'), source(3, SIZE, false, '/e/')]
  for (const isLast of [false, true]) {
    assert.equal(await spool.append([large], isLast), false)
    const { admits } = spool.room.admission(isLast)
    assert.deepEqual([admits('/e/', 5.5 * MIB), admits('/e/', SIZE), admits('/f/', SIZE)], [false, true, true])
    assert.equal(await spool.append([small], isLast), true)
    assert.notEqual(await spool.journal(small), undefined)
    assert.equal(await spool.journal(large), undefined)
    assert.equal(spool.status.spool_code, undefined)
  }
})

test('a router that filled its share before a restart leaves the last quarter to the others after it', async () => {
  await using folder = await temporaryFolder()
  {
    await using under = await spoolIn(folder.path, { maxBytes: MAX_BYTES })
    for (let serial = 1; serial <= 7; serial += 1) await under.spool.append([source(serial, SIZE, false, '/large/')])
  }
  await using under = await spoolIn(folder.path, { maxBytes: MAX_BYTES })
  const { spool } = under
  const takes = (serial: number, router: string, size: number) => spool.append([source(serial, size, false, router)])
  // Four routers have a quarter of the rest each, since each of them may have filled the spool before.
  assert.equal(await takes(8, '/large/', SIZE), false)
  for (const router of ['/large/', '/a/', '/b/']) assert.equal(await takes(8, router, 7_500), true)
  assert.equal(await takes(9, '/large/', 7_500), false)
  assert.equal(await takes(9, '/c/', 7_500), true)
  await readAll(spool)
  assert.equal(await takes(10, '/large/', SIZE), true)
  assert.equal(await takes(11, '/large/', SIZE), true)
  assert.equal(spool.room.shares.isSmall('/large/', 4_000), true)
})

test('each router without a share is named once a minute, and 16 routers at most', () => {
  let now = 0
  const named: unknown[] = []
  const logger = { warn: (fields: object) => named.push(Object(fields).router) }
  const options = { directory: '/', maxBytes: MAX_BYTES, logger, nowMs: () => now, usedBytes: () => 70_000 }
  const room = new SpoolRoom(options)
  const refuse = (...routers: readonly string[]): void => {
    for (const router of routers) assert.equal(room.admission().admits(router, 26_000), false)
  }
  refuse('/a/', '/b/', '/a/')
  now = 59_999
  refuse('/a/')
  assert.deepEqual(named, ['/a/', '/b/'])
  now = 60_000
  refuse('/a/')
  assert.deepEqual(named, ['/a/', '/b/', '/a/'])
  refuse(...Array.from({ length: 100 }, (_, index) => `/${index}/`))
  assert.equal(named.length, 2 + 16)
})

test('a pass over many records of a router without a share looks at the spool and the clock only for the first', () => {
  let asked = 0
  const ask = (answer: number) => (): number => {
    asked += 1
    return answer
  }
  const logger = { warn: () => undefined }
  const room = new SpoolRoom({ directory: '/', maxBytes: MAX_BYTES, logger, nowMs: ask(0), usedBytes: ask(80_000) })
  room.shares.count('/large/', 80_000)
  const { admits } = room.admission()
  for (let record = 0; record < 1_000; record += 1) assert.equal(admits('/large/', 100), false)
  assert.equal(admits('/other/', 100), true)
  assert.ok(asked < 5, `${asked} questions`)
})

test('records that the journal has not written yet count for their router', async () => {
  await using folder = await temporaryFolder()
  await using under = await spoolIn(folder.path, { maxBytes: MAX_BYTES })
  const { spool } = under
  for (let serial = 1; serial <= 7; serial += 1) await spool.append([source(serial, SIZE, false, '/large/')])
  const serials = [8, 9, 10]
  const entries = await Promise.all(serials.map((serial) => spool.journal(source(serial, SIZE, true, '/other/'))))
  assert.deepEqual(
    entries.map((entry) => entry?.isKept()),
    [true, true, undefined],
  )
  for (const entry of entries) entry?.settle()
  assert.equal(spool.room.shares.bytesOf('/other/'), 0)
})

test('a segment counts a bounded number of routers, and the largest among them', async () => {
  await using folder = await temporaryFolder()
  await using under = await spoolIn(folder.path)
  const routers = Array.from({ length: 500 }, (_, index) => `/${index}/`)
  for (const [serial, router] of routers.entries()) {
    await under.spool.append([source(2 * serial, 10, false, router), source(2 * serial + 1, 500, false, '/large/')])
  }
  const { shares } = under.spool.room
  assert.ok(shares.bytesOf('/large/') > 500 * 500)
  const counted = (): number => routers.filter((router) => shares.bytesOf(router) > 0).length
  assert.equal(counted(), 63)
  await readAll(under.spool)
  assert.deepEqual([counted(), shares.bytesOf('/large/')], [0, 0])
})

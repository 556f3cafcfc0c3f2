import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { RouterShares } from '../spool/router-shares.ts'
import { MIB } from './publisher-under-test.ts'
import { QueueCapacity, roomForRecord } from './queue-capacity.ts'
import { RecordRoom, type RoomRequest } from './record-room.ts'

const CALLS = 30
/** The most calls that begin in one turn after they have waited. */
const MOST = 8
const LONG = 60_000
const SHORT = 100

test('calls that waited for room begin a few in each turn, in their order, and those with a short body sooner', async () => {
  let isFree = false
  const room = new RecordRoom({ version: randomUUID, fits: () => isFree, hasShare: () => true }, 10_000)
  const begun: number[] = []
  for (let call = 0; call < CALLS; call += 1) {
    const waited = room.waitForCall({ router: '/a/', bytes: 1, isLarge: false }, call === CALLS - 1 ? SHORT : LONG)
    void waited.then((hasRoom) => hasRoom && begun.push(call)) // `waitForCall` never rejects
  }
  isFree = true
  room.serve()
  while (begun.length < CALLS) {
    const before = begun.length
    await nextTurn()
    assert.ok(begun.length - before <= MOST + 1, `${begun.length - before} calls in one turn`)
  }
  assert.ok(begun.indexOf(CALLS - 1) <= MOST, 'the call with the short body waits behind others')
  assert.deepEqual(
    begun.filter((call) => call !== CALLS - 1),
    [...Array(CALLS - 1).keys()],
  )
})

test('routers take turns, so that a call waits for one record of each other router', () => {
  let free = 0
  const room = new RecordRoom({ version: randomUUID, fits: ({ bytes }) => bytes <= free, hasShare: () => true }, 10_000)
  const taken: string[] = []
  const wait = (router: string, bytes: number): void =>
    room.wait({ router, bytes, isLarge: false }, () => {
      taken.push(router)
      free -= bytes
    })
  for (let record = 0; record < 500; record += 1) wait('/many/', 10)
  wait('/few/', 20)
  free = 10
  room.serve()
  // The call has its turn and needs more room: no record of the other router takes the room meanwhile.
  free = 10
  room.serve()
  assert.deepEqual(taken, ['/many/'])
  free = 30
  room.serve()
  assert.deepEqual(taken, ['/many/', '/few/', '/many/'])
  room.endAll()
  assert.equal(taken.length, 501)
})

test('a router without a share waits alone, until its share is free again', () => {
  let hasShare = false
  const check = {
    version: () => String(hasShare),
    fits: () => true,
    hasShare: ({ router }: { router: string }) => hasShare || router !== '/large/',
  }
  const room = new RecordRoom(check, 10_000)
  const taken: string[] = []
  const wait = (router: string): void => room.wait({ router, bytes: 1, isLarge: false }, () => taken.push(router))
  wait('/large/')
  assert.ok(room.isFree({ router: '/other/', bytes: 1, isLarge: false }))
  assert.ok(!room.isFree({ router: '/large/', bytes: 1, isLarge: false }))
  wait('/other/')
  room.serve()
  assert.deepEqual(taken, ['/other/'])
  hasShare = true
  room.serve()
  assert.deepEqual(taken, ['/other/', '/large/'])
})

test('a record that waits for records without room on disk holds up no record that goes to disk', () => {
  const shares = new RouterShares(32 * MIB)
  const used = { bytes: 0, largeBytes: 0, shares }
  const count = (router: string, bytes: number): void => {
    used.bytes += bytes
    used.largeBytes += bytes
    shares.count(router, bytes)
  }
  // Their records stay in memory, because they have used up their shares of the spool.
  const stuck = new Map([
    ['/large/', 24 * MIB],
    ['/full/', 3 * MIB],
  ])
  for (const [router, bytes] of stuck) count(router, bytes)
  const stuckBytes = (besides: string): number =>
    [...stuck].reduce((sum, [router, bytes]) => (router === besides ? sum : sum + bytes), 0)
  const capacity = new QueueCapacity(32 * MIB, () => ({
    version: '',
    takes: (router) => !stuck.has(router),
    stuckBytes,
  }))
  const check = {
    version: () => capacity.version(used),
    fits: (request: RoomRequest) => capacity.hasRoom(request, used),
    hasShare: (request: RoomRequest) => capacity.hasShare(request, used),
  }
  const room = new RecordRoom(check, 10_000)
  const taken: string[] = []
  const wait = (router: string, bytes: number): void =>
    room.wait(roomForRecord(router, bytes), (hasRoom) => {
      if (!hasRoom) return
      taken.push(router)
      count(router, bytes)
    })
  wait('/full/', 1.5 * MIB)
  assert.ok(room.isFree(roomForRecord('/other/', 1.5 * MIB)), 'a new record waits for the turn of another router')
  wait('/other/', 24 * MIB)
  room.serve()
  assert.deepEqual(taken, ['/other/'])
  // Now the other router's records, too, take the room that the first record needs: it has the turn before more of them.
  wait('/other/', 1.2 * MIB)
  room.serve()
  assert.deepEqual(taken, ['/other/'])
  count('/other/', -24 * MIB)
  room.serve()
  assert.deepEqual(taken, ['/other/', '/other/'])
  // The bus takes the records that are stuck.
  wait('/other/', 1.2 * MIB)
  count('/large/', -24 * MIB)
  stuck.delete('/large/')
  room.serve()
  assert.equal(taken.filter((router) => router === '/full/').length, 1)
  room.endAll()
})

test('the waiters behind a call whose time is over are served', async () => {
  const check = { version: randomUUID, fits: ({ bytes }: RoomRequest) => bytes === 1, hasShare: () => true }
  const room = new RecordRoom(check, 20)
  const call = room.waitForCall({ router: '/a/', bytes: 2, isLarge: false }, SHORT)
  const served = new Promise((resolve) => {
    room.wait({ router: '/b/', bytes: 1, isLarge: false }, resolve, 10_000)
  })
  assert.equal(await call, false)
  assert.equal(await served, true)
})

test('while the room stays as it is, each waiting router is asked for its share once, whoever comes or gives up', async () => {
  const routers = 500
  const calls = 1_000
  let looks = 0
  const hasShare = (): boolean => {
    looks += 1
    return false
  }
  const room = new RecordRoom({ version: () => 'full', fits: () => false, hasShare }, 20)
  const request = (router: number): RoomRequest => ({ router: `/${router}/`, bytes: 1, isLarge: false })
  const waits = Array.from({ length: routers }, (_, router) => room.waitForCall(request(router), SHORT))
  for (let call = 0; call < calls; call += 1) {
    assert.ok(!room.isFree(request(call)))
    room.serve()
  }
  await Promise.all(waits)
  assert.ok(looks < 4 * (routers + calls), `${looks} looks`)
})

test('a waiter that has a share gets the turn at once, behind waiters without one, and when one of them has given up', async () => {
  const check = { version: () => '', fits: () => true, hasShare: ({ bytes }: RoomRequest) => bytes === 1 }
  const room = new RecordRoom(check, 10_000)
  const taken: string[] = []
  const wait = (router: string, bytes: number, timeoutMs = 10_000): Promise<void> =>
    new Promise((resolve) => {
      const end = (hasRoom: boolean): void => {
        taken.push(`${router} ${hasRoom}`)
        resolve()
      }
      room.wait({ router, bytes, isLarge: false }, end, timeoutMs)
    })
  const first = wait('/a/', 2, 20)
  const second = wait('/a/', 1)
  room.serve()
  assert.deepEqual(taken, [])
  const other = wait('/b/', 1)
  room.serve()
  assert.deepEqual(taken, ['/b/ true'])
  await Promise.all([first, second, other])
  assert.deepEqual(taken, ['/b/ true', '/a/ false', '/a/ true'])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import {
  countManyPieces,
  type Kind,
  limiterOf,
  NEW_IN_TURN,
  PROVEN_IN_TURN,
  REPORTS_OF_EVENTS,
  REPORTS_OF_TURN,
  Reader,
  resumed,
} from './limiter-under-test.ts'
import { MANY_PIECES, type ReadLimiter } from './read-limiter.ts'

test('after many pieces proven connections wait for the next turn, the others longer and from both ends', async () => {
  const order: string[] = []
  const names = Array.from({ length: 200 }, (_, index) => (index === 150 ? 'known' : String(index)))
  const readers = names.map((name) => new Reader(name, name === 'known' ? 'proven' : 'new', order))
  const limiter = limiterOf(readers)
  for (let times = 0; times < REPORTS_OF_TURN - 1; times += 1) limiter.countPieces(MANY_PIECES)
  assert.ok(readers.every(({ isPaused }) => !isPaused))
  limiter.countPieces(MANY_PIECES)
  assert.ok(readers.every(({ isPaused }) => isPaused))
  await nextTurn()
  assert.deepEqual(order, ['known'])
  await resumed(order, 200)
  assert.deepEqual(order.slice(1, 3), ['199', '198'])
  assert.deepEqual(order.slice(1 + NEW_IN_TURN, 3 + NEW_IN_TURN), ['0', '1'])
  assert.equal(new Set(order).size, readers.length)
  assert.equal(order.length, readers.length)
})

test('connections that sent small pieces wait as long as reading such pieces took, and resume behind new ones', async () => {
  const order: string[] = []
  const sender = new Reader('sender', 'sender of small pieces', order)
  const readers = [sender, new Reader('new', 'new', order), new Reader('known', 'proven', order)]
  let cpuMs = 0
  const limiter = limiterOf(readers, () => cpuMs)
  limiter.countPieces(MANY_PIECES)
  cpuMs += 9
  countManyPieces(limiter)
  const read = performance.now()
  await resumed(order, 3)
  assert.deepEqual(order, ['known', 'new', 'sender'])
  // At least: a busy machine may only lengthen the wait.
  assert.ok(performance.now() - read >= 10)
})

for (const waitsBefore of [3, 4]) {
  test(`a connection that comes after ${waitsBefore} waits of many others is read within the next two`, async () => {
    const order: string[] = []
    const readers = Array.from({ length: 300 }, (_, index) => new Reader(String(index), 'new', order))
    const limiter = limiterOf(readers)
    const read = new Set<string>()
    let waits = 0
    let isAdded = false
    countManyPieces(limiter)
    while (!read.has('late')) {
      await nextTurn()
      const next = order.splice(0).filter((name) => !read.has(name))
      if (next.length > 0) waits += 1
      if (waits === waitsBefore && !isAdded) limiter.add(new Reader('late', 'new', order))
      isAdded ||= waits === waitsBefore
      // Each connection has half of the pieces that a turn may read.
      for (const name of next.slice(0, 2)) {
        read.add(name)
        for (let times = 0; times < REPORTS_OF_TURN / 2; times += 1) limiter.countPieces(MANY_PIECES)
      }
    }
    assert.ok(waits <= waitsBefore + 2, `${waits} waits`)
  })
}

test('behind many pieces of new connections one sender of small pieces resumes, however many new ones wait', async () => {
  const order: string[] = []
  const kinds = Array.from({ length: 300 }, (_, index): Kind => (index < 100 ? 'sender of small pieces' : 'new'))
  const readers = kinds.map((kind, index) => new Reader(`${kind} ${index}`, kind, order))
  const limiter = limiterOf(readers)
  const senders = (): number => order.filter((name) => name.startsWith('sender')).length
  countManyPieces(limiter)
  for (const wanted of [1, 2]) {
    while (senders() < wanted) {
      const before = order.length
      await nextTurn()
      // Each time, the first of the new connections has all pieces that a turn may read.
      if (order.length > before && !order.at(-1)?.startsWith('sender')) countManyPieces(limiter)
    }
    assert.equal(senders(), wanted)
    assert.equal(order.length, wanted * (NEW_IN_TURN + 1))
  }
  await resumed(order, 300)
})

test('after many events all connections wait for the next turns, which resume some from both ends and within', async () => {
  const order: string[] = []
  const readers = Array.from({ length: 1_000 }, (_, index) => new Reader(String(index), 'proven', order))
  const limiter = limiterOf(readers)
  for (let times = 0; times < REPORTS_OF_EVENTS - 1; times += 1) limiter.countEvent(MANY_PIECES)
  assert.ok(readers.every(({ isPaused }) => !isPaused))
  for (let event = 0; event < MANY_PIECES; event += 1) limiter.countEvent(1)
  assert.ok(readers.every(({ isPaused }) => isPaused))
  await nextTurn()
  assert.equal(order.length, PROVEN_IN_TURN)
  await resumed(order, 1_000)
  assert.deepEqual(
    [0, 1, 2].map((turn) => order[turn * PROVEN_IN_TURN]),
    ['999', '0', '871'],
  )
  assert.equal(new Set(order).size, readers.length)
})

for (const [what, count] of [
  ['events', (limiter: ReadLimiter) => limiter.countEvent(MANY_PIECES)],
  ['pieces', (limiter: ReadLimiter) => limiter.countPieces(MANY_PIECES)],
] as const) {
  test(`few ${what} that took long make all connections wait for the next turn`, async () => {
    const reader = new Reader('known', 'proven', [])
    let cpuMs = 0
    const limiter = limiterOf([reader], () => cpuMs)
    for (const passedMs of [4, 4]) {
      count(limiter)
      cpuMs += passedMs
      assert.equal(reader.isPaused, false)
    }
    cpuMs += 4
    count(limiter)
    assert.equal(reader.isPaused, true)
    await nextTurn()
    assert.equal(reader.isPaused, false)
    // Work between two turns of reading counts in neither.
    cpuMs += 100
    count(limiter)
    assert.equal(reader.isPaused, false)
  })
}

for (const [what, owner, count] of [
  ['requests', 'router', (limiter: ReadLimiter, reader: Reader) => limiter.countEvent(MANY_PIECES, reader)],
  ['pieces', 'network', (limiter: ReadLimiter, reader: Reader) => limiter.countPieces(16 * MANY_PIECES, reader)],
] as const) {
  test(`where a crowd's ${what} fill a turn, connections of another ${owner} are read in it, unless it lasts long`, async () => {
    const readers = Array.from({ length: 4 }, (_, index) => new Reader(String(index), 'new', []))
    const [one, other, neighbour, late] = readers
    assert.ok(one !== undefined && other !== undefined && neighbour !== undefined && late !== undefined)
    for (const reader of [one, other]) reader[owner] = 'crowd'
    for (const reader of [neighbour, late]) reader[owner] = 'few'
    let cpuMs = 0
    const limiter = limiterOf(readers, () => cpuMs)
    for (let times = 0; times < REPORTS_OF_EVENTS; times += 1) count(limiter, one)
    assert.deepEqual(
      readers.map(({ isPaused }) => isPaused),
      [true, true, false, false],
    )
    cpuMs = 16
    count(limiter, one)
    assert.ok(readers.every(({ isPaused }) => isPaused))
  })
}

for (const first of ['new', 'proven'] as const) {
  test(`where calls of a router fill a turn, the unread ones of their network wait; a ${first} connection is first`, () => {
    const readerOf = (kind: typeof first, network: string) => Object.assign(new Reader('', kind, []), { network })
    const before = readerOf(first, 'crowd')
    const admitted = readerOf('new', 'crowd')
    const unread = readerOf('new', 'crowd')
    const other = readerOf('new', 'few')
    for (const reader of [before, admitted]) reader.router = 'router'
    const limiter = limiterOf([before, admitted, unread, other])
    for (let times = 0; times < REPORTS_OF_EVENTS; times += 1) limiter.countEvent(MANY_PIECES, before)
    limiter.countEvent(MANY_PIECES, admitted)
    assert.deepEqual(
      [before, admitted, unread, other].map(({ isPaused }) => isPaused),
      [true, true, true, false],
    )
  })
}

test('new connections that resume in vain are read once in a later turn, whatever others send', async () => {
  const order: string[] = []
  const readers = Array.from({ length: 6 }, (_, index) => new Reader(String(index), 'new', order))
  const limiter = limiterOf(readers)
  const read = new Set<Reader>()
  const fill = (): void => limiter.countEvent(MANY_PIECES * REPORTS_OF_EVENTS)
  fill()
  for (let resumes = 1; resumes <= 3; resumes += 1) {
    while (order.length < 6 * resumes) await nextTurn()
    fill()
    for (const reader of readers.filter(({ isPaused }) => !isPaused)) {
      read.add(reader)
      limiter.noteRead(reader)
      assert.equal(reader.isPaused, true)
    }
    assert.equal(read.size, 2 * resumes)
  }
})

test('connections that had nothing to read take no spared place of others', async () => {
  const order: string[] = []
  const limiter = limiterOf(['a', 'b', 'c', 'd'].map((name) => new Reader(name, 'new', order)))
  const resume = async (): Promise<void> => {
    order.length = 0
    limiter.countEvent(MANY_PIECES * REPORTS_OF_EVENTS)
    while (order.length === 0) await nextTurn()
    limiter.countEvent(MANY_PIECES * REPORTS_OF_EVENTS)
  }
  for (let times = 0; times < 10; times += 1) await resume()
  const late = new Reader('late', 'new', order)
  limiter.add(late)
  await resume()
  for (let times = 0; times < 4 && late.isPaused; times += 1) await resume()
  assert.equal(late.isPaused, false)
})

test('a spared connection of a router that is not busy is read on', async () => {
  const order: string[] = []
  const [crowd, few] = ['crowd', 'few'].map((name) => new Reader(name, 'new', order))
  assert.ok(crowd !== undefined && few !== undefined)
  for (const reader of [crowd, few]) reader.router = reader.name
  const limiter = limiterOf([crowd, few])
  limiter.countEvent(MANY_PIECES * REPORTS_OF_EVENTS)
  while (order.length < 2) await nextTurn()
  limiter.countEvent(MANY_PIECES * REPORTS_OF_EVENTS, crowd)
  for (const reader of [crowd, few]) limiter.noteRead(reader)
  assert.deepEqual([crowd.isPaused, few.isPaused], [true, false])
})

test('each turn may have as many events as the turn before', async () => {
  const readers = [new Reader('known', 'proven', [])]
  const limiter = limiterOf(readers)
  for (let turns = 0; turns < 3; turns += 1) {
    limiter.countEvent(MANY_PIECES * (REPORTS_OF_EVENTS - 1))
    assert.ok(readers.every(({ isPaused }) => !isPaused))
    await nextTurn()
  }
})

test('proven connections that send many pieces in every turn don’t keep a new connection unread', async () => {
  const order: string[] = []
  const proven = Array.from({ length: 50 }, (_, index) => new Reader(String(index), 'proven', order))
  let isRead = false
  const fresh = {
    isPaused: false,
    isProven: false,
    router: '',
    network: '',
    sentSmallPieces: false,
    pause() {
      fresh.isPaused = true
    },
    resume() {
      fresh.isPaused = false
      // A proven connection that isn't paused either is read first, and its pieces pause all others.
      isRead = proven.every(({ isPaused }) => isPaused)
    },
  }
  const limiter = limiterOf([...proven, fresh])
  const end = performance.now() + 2_000
  while (!isRead && performance.now() < end) {
    countManyPieces(limiter)
    await nextTurn()
  }
  assert.ok(isRead)
})

for (const [kind, owner] of [
  ['proven', 'router'],
  ['new', 'network'],
  ['new', 'router'],
  ['sender of small pieces', 'network'],
] as const) {
  test(`a connection is among the first that resume, though thousands of another ${owner} wait: ${kind}`, async () => {
    const order: string[] = []
    const readers = Array.from({ length: 3_000 }, (_, index) => new Reader(String(index), kind, order))
    for (const reader of readers) reader[owner] = reader.name === '1500' ? 'few' : 'crowd'
    const limiter = limiterOf(readers)
    countManyPieces(limiter)
    await resumed(order, 1)
    assert.ok(order.length <= (kind === 'proven' ? PROVEN_IN_TURN : NEW_IN_TURN), String(order.length))
    assert.ok(order.includes('1500'))
  })
}

test('while held, a few requests pause all connections', async () => {
  const readers = [new Reader('known', 'proven', [])]
  const limiter = limiterOf(readers)
  limiter.hold()
  limiter.countEvent(MANY_PIECES)
  assert.ok(readers.every(({ isPaused }) => !isPaused))
  limiter.countEvent(MANY_PIECES)
  assert.ok(readers.every(({ isPaused }) => isPaused))
  await nextTurn()
  assert.ok(readers.every(({ isPaused }) => !isPaused))
})

test('while held, the first connection with many pieces pauses all others, and unproven ones wait for the release', async () => {
  const order: string[] = []
  const readers = [new Reader('new', 'new', order), new Reader('known', 'proven', order)]
  const limiter = limiterOf(readers)
  limiter.countPieces(MANY_PIECES)
  assert.ok(readers.every(({ isPaused }) => !isPaused))
  await nextTurn()
  limiter.hold()
  limiter.countPieces(MANY_PIECES)
  assert.ok(readers.every(({ isPaused }) => isPaused))
  for (let turn = 0; turn < 20; turn += 1) await nextTurn()
  assert.deepEqual(order, ['known'])
  limiter.release()
  await resumed(order, 2)
})

for (const kind of ['proven', 'new', 'sender of small pieces'] as const) {
  test(`a connection that closes while it waits is forgotten: ${kind}`, async () => {
    const order: string[] = []
    const [closes, stays] = [new Reader('closes', kind, order), new Reader('stays', kind, order)]
    const limiter = limiterOf([closes, stays])
    countManyPieces(limiter)
    limiter.remove(closes)
    await resumed(order, 1)
    // A waiting connection has each turn marked.
    while (process.getActiveResourcesInfo().includes('Immediate')) await pause(1)
    assert.deepEqual(order, ['stays'])
  })
}

test('a connection whose kind changes while it waits goes to the line of its kind', async () => {
  const order: string[] = []
  const readers = ['0', '1', '2'].map((name) => new Reader(name, 'new', order))
  const limiter = limiterOf(readers)
  countManyPieces(limiter)
  const [first, second] = readers
  assert.ok(first !== undefined && second !== undefined)
  first.sentSmallPieces = true
  second.isProven = true
  for (const reader of [first, second]) limiter.noteKind(reader)
  await resumed(order, 3)
  assert.deepEqual(order, ['1', '2', '0'])
  assert.ok(readers.every(({ isPaused }) => !isPaused))
  limiter.noteKind(first)
  for (let turns = 0; turns < 3; turns += 1) await nextTurn()
  assert.equal(order.length, 3)
})

test('a turn looks at the connections that it resumes, not at all that wait', async () => {
  const order: string[] = []
  let looks = 0
  const readers = Array.from({ length: 10_000 }, (_, index) => new Reader(String(index), 'new', order))
  for (const reader of readers) {
    Object.defineProperty(reader, 'isProven', {
      get: () => {
        looks += 1
        return false
      },
    })
  }
  const limiter = limiterOf(readers)
  countManyPieces(limiter)
  while (order.length === 0) await nextTurn()
  looks = 0
  for (let turns = 0; turns < 100; turns += 1) {
    limiter.countEvent(MANY_PIECES * REPORTS_OF_EVENTS)
    await nextTurn()
  }
  assert.ok(order.length >= (100 * NEW_IN_TURN) / 2, `${order.length} resumed`)
  // Each connection that goes on is paused again by the turn's many events.
  assert.ok(looks <= 2 * order.length, `${looks} looks at ${order.length} connections`)
})

test('of senders whose bytes are parsed when they resume, each turn resumes one', async () => {
  const order: string[] = []
  const limiter = limiterOf([])
  for (const name of ['one', 'two', 'three']) {
    const reader = new Reader(name, 'sender of small pieces', order)
    reader.resumesAlone = true
    limiter.wait(reader)
  }
  for (const wanted of [1, 2, 3]) {
    await resumed(order, wanted)
    assert.equal(order.length, wanted)
  }
  assert.deepEqual(order, ['one', 'two', 'three'])
})

test('unproven connections wait for the time of reading also where more proven ones wait than one turn resumes', async () => {
  const order: string[] = []
  const proven = Array.from({ length: PROVEN_IN_TURN + 1 }, (_, index) => new Reader(String(index), 'proven', order))
  let cpuMs = 0
  const limiter = limiterOf([...proven, new Reader('new', 'new', order)], () => cpuMs)
  limiter.countPieces(MANY_PIECES)
  cpuMs += 9
  countManyPieces(limiter)
  const read = performance.now()
  await resumed(order, proven.length + 1)
  assert.equal(order.at(-1), 'new')
  // At least: a busy machine may only lengthen the wait.
  assert.ok(performance.now() - read >= 10)
})

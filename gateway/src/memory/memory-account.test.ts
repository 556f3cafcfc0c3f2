import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type CallMemory, MemoryAccount, MemoryShare } from './memory-account.ts'

const MIB = 1024 * 1024

test('one router leaves the last quarter to the others, however many connections call it', () => {
  const account = new MemoryAccount(256 * MIB)
  const open = () => account.open('/hostile/', new MemoryShare())
  let taken = 0
  while (open().take(16 * MIB)) taken += 1
  assert.equal(taken, 12)
  assert.equal(account.open('/other/', new MemoryShare()).take(32 * MIB), true)
  // The other router took the half of that quarter in which a small call of this one would have fitted.
  assert.equal(open().take(16 * MIB), false)
  assert.equal(account.heldBytes, 224 * MIB)
  const small = open()
  assert.equal(small.take(1), false)
  account.open('/third/', new MemoryShare()).take(16 * MIB)
  assert.equal(account.heldBytes, 240 * MIB)
})

test('a router that holds three quarters still gets room for a small call, not for a large one', () => {
  const account = new MemoryAccount(256 * MIB)
  const open = () => account.open('/busy/', new MemoryShare())
  while (open().take(16 * MIB));
  assert.equal(open().take(MIB), true)
  assert.equal(open().take(2 * MIB), false)
})

test('the calls of one connection share a quarter once others need the rest', () => {
  const account = new MemoryAccount(256 * MIB)
  const connection = new MemoryShare()
  let taken = 0
  for (let i = 0; account.open(`/router-${i}/`, connection).take(16 * MIB); i += 1) taken += 1
  assert.equal(taken, 12)
  assert.equal(account.open('/other/', new MemoryShare()).take(48 * MIB), true)
})

test('released bytes are free again, and never more than were held', () => {
  const account = new MemoryAccount(100)
  const memory = account.open('/a/', new MemoryShare())
  assert.equal(memory.take(60), true)
  memory.release(1_000)
  assert.equal(account.heldBytes, 0)
  memory.add(70)
  memory.releaseAll()
  memory.releaseAll()
  assert.deepEqual([account.heldBytes, memory.bytes, memory.connection.bytes, memory.router.bytes], [0, 0, 0, 0])
})

test('the body that has been silent longest is ended to make room; bodies that still arrive are not', () => {
  let nowMs = 0
  const account = new MemoryAccount(100, () => nowMs)
  const ended: string[] = []
  const read = (name: string, bytes: number) => {
    const memory = account.open(`/${name}/`, new MemoryShare())
    assert.equal(memory.take(bytes), true)
    const body = {
      memory,
      arrivedMs: nowMs,
      isUnread: () => false,
      end: () => {
        ended.push(name)
        memory.releaseAll()
      },
    }
    memory.trackIncoming(body)
    return body
  }
  read('first', 25)
  const second = read('second', 25)
  read('third', 25)
  nowMs = 1_500
  second.arrivedMs = nowMs
  const next = (bytes: number) => account.open('/next/', new MemoryShare()).take(bytes)
  assert.deepEqual([next(25), ended], [true, []])
  // A call over its quarter ends no other body.
  assert.deepEqual([next(40), ended], [false, []])
  const other = (bytes: number) => account.open('/other/', new MemoryShare()).take(bytes)
  assert.deepEqual([other(20), ended], [true, ['first']])
  assert.deepEqual([account.open('/last/', new MemoryShare()).take(25), ended], [true, ['first', 'third']])
  assert.deepEqual([account.open('/late/', new MemoryShare()).take(25), ended], [false, ['first', 'third']])
})

test('the announcement of a small body ends silent bodies, that of a large one does not', () => {
  const account = new MemoryAccount(16 * MIB, () => 10_000)
  let ended = 0
  for (let index = 0; index < 16; index += 1) {
    const memory = account.open(`/${index}/`, new MemoryShare())
    memory.take(MIB)
    const end = (): void => {
      ended += 1
      memory.releaseAll()
    }
    account.trackIncoming({ memory, arrivedMs: 0, isUnread: () => false, end })
  }
  const next = account.open('/next/', new MemoryShare())
  assert.deepEqual([next.admit(MIB + 1), ended], [false, 0])
  assert.deepEqual([next.admit(MIB), ended, next.bytes], [true, 1, 0])
})

test('one call ends at most 128 silent bodies, and a later call ends further ones', () => {
  let nowMs = 0
  const account = new MemoryAccount(1_000, () => nowMs)
  let ended = 0
  for (let index = 0; index < 900; index += 1) {
    const memory = account.open(`/${index}/`, new MemoryShare())
    assert.equal(memory.take(1), true)
    const end = (): void => {
      ended += 1
      memory.releaseAll()
    }
    account.trackIncoming({ memory, arrivedMs: 0, isUnread: () => false, end })
  }
  nowMs = 10_000
  const open = () => account.open('/large/', new MemoryShare())
  assert.deepEqual([open().take(250), ended], [false, 128])
  assert.deepEqual([open().take(250), ended], [true, 150])
})

test('room is made with one look at each body that arrives', () => {
  const account = new MemoryAccount(1_000, () => 10_000)
  let looks = 0
  let ended = 0
  for (let index = 0; index < 900; index += 1) {
    const memory = account.open(`/${index}/`, new MemoryShare())
    memory.take(1)
    account.trackIncoming({
      get memory() {
        looks += 1
        return memory
      },
      arrivedMs: 900 - index,
      isUnread: () => false,
      end: () => {
        ended += 1
        memory.releaseAll()
      },
    })
  }
  looks = 0
  assert.equal(account.open('/large/', new MemoryShare()).take(200), true)
  assert.deepEqual([ended, looks <= 2 * 900], [100, true])
})

test('a turn looks once at the bodies that arrive, however many calls need room in it', async () => {
  const account = new MemoryAccount(1_000, () => 10_000)
  let looks = 0
  let arrivedMs = 10_000
  const ended: number[] = []
  for (let index = 0; index < 1_000; index += 1) {
    const memory = account.open(`/${index}/`, new MemoryShare())
    memory.take(1)
    account.trackIncoming({
      memory,
      get arrivedMs() {
        looks += 1
        return arrivedMs
      },
      isUnread: () => false,
      end: () => {
        ended.push(index)
        memory.releaseAll()
      },
    })
  }
  const take = () => account.open('/next/', new MemoryShare()).take(1)
  for (let call = 0; call < 100; call += 1) assert.equal(take(), false)
  assert.ok(looks <= 3 * 1_000, `${looks} looks`)
  await nextTurn()
  arrivedMs = 0
  looks = 0
  for (let call = 0; call < 100; call += 1) assert.equal(take(), true)
  assert.equal(ended.length, 100)
  // A sort looks at two bodies for each of its comparisons.
  assert.ok(looks <= 5 * 1_000, `${looks} looks`)
})

test('a body that has ended or gone on since the look of its turn is not ended', () => {
  const account = new MemoryAccount(100, () => 10_000)
  const ended: string[] = []
  const bodies = ['first', 'gone on', 'left', 'last'].map((name) => {
    const memory = account.open(`/${name}/`, new MemoryShare())
    memory.take(25)
    const end = (): void => {
      ended.push(name)
      memory.releaseAll()
    }
    const body = { memory, arrivedMs: 0, isUnread: () => false, end }
    account.trackIncoming(body)
    return { name, body }
  })
  const take = (name: string) => account.open(name, new MemoryShare()).take(25)
  assert.deepEqual([take('/a/'), ended], [true, ['first']])
  for (const { name, body } of bodies) {
    if (name === 'gone on') body.arrivedMs = 10_000
    if (name === 'left') account.untrackIncoming(body)
  }
  assert.deepEqual([take('/b/'), take('/c/'), ended], [true, false, ['first', 'last']])
})

test('of many bodies that arrive, some of which have ended, the silent ones are still ended in their order', () => {
  const account = new MemoryAccount(100, () => 10_000)
  const ended: number[] = []
  const bodies = [3, 1, 4, 0, 2].map((arrivedMs) => {
    const memory = account.open(`/${arrivedMs}/`, new MemoryShare())
    memory.take(20)
    const end = (): void => {
      ended.push(arrivedMs)
      memory.releaseAll()
      account.untrackIncoming(body)
    }
    const body = { memory, arrivedMs, isUnread: () => false, end }
    account.trackIncoming(body)
    return body
  })
  for (const body of bodies) if (body.arrivedMs === 1 || body.arrivedMs === 2) account.untrackIncoming(body)
  const next = account.open('/next/', new MemoryShare())
  assert.deepEqual([next.take(20), next.take(5), next.take(75), ended], [true, true, false, [0, 3]])
})

test('of silent bodies those end last that the gateway does not read', () => {
  const account = new MemoryAccount(100, () => 10_000)
  const ended: number[] = []
  for (const [arrivedMs, isUnread] of [
    [0, true],
    [1, true],
    [2, false],
    [3, false],
  ] as const) {
    const memory = account.open(`/${arrivedMs}/`, new MemoryShare())
    memory.take(25)
    const end = (): void => {
      ended.push(arrivedMs)
      memory.releaseAll()
    }
    account.trackIncoming({ memory, arrivedMs, isUnread: () => isUnread, end })
  }
  const next = (name: string) => account.open(name, new MemoryShare()).take(25)
  assert.deepEqual([next('/a/'), next('/b/'), next('/c/'), ended], [true, true, true, [2, 3, 0]])
})

test('all calls of a router count in one share from the first byte', () => {
  const account = new MemoryAccount(1_000)
  const [one, other] = [account.open('/a/', new MemoryShare()), account.open('/a/', new MemoryShare())]
  one.take(10)
  other.take(20)
  assert.deepEqual([one.router, one.router.bytes], [other.router, 30])
})

test('a router whose processors still owe replies keeps its share beside 20,000 other routers', () => {
  const account = new MemoryAccount(1_000)
  const { router } = account.open('/busy/', new MemoryShare())
  router.processorCalls = 1
  for (let i = 0; i <= 20_000; i += 1) account.open(`/${i}/`, new MemoryShare())
  assert.equal(account.open('/busy/', new MemoryShare()).router, router)
})

test('bytes that were read without room count apart, up to 64 MiB, and take no room from other routers', () => {
  const account = new MemoryAccount(1_000)
  const [one, other] = [account.open('/a/', new MemoryShare()), account.open('/b/', new MemoryShare())]
  assert.equal(one.takeSpare(64 * MIB - 10), true)
  assert.deepEqual([other.takeSpare(11), other.takeSpare(10), other.takeSpare(1)], [false, true, false])
  assert.deepEqual([account.heldBytes, one.router.bytes], [0, 0])
  other.releaseSpare(100)
  assert.deepEqual([other.takeSpare(11), other.takeSpare(10)], [false, true])
  one.releaseSpare()
  assert.equal(other.takeSpare(64 * MIB - 10), true)
})

const connection = new MemoryShare()
const crowds: readonly (readonly [who: string, open: (account: MemoryAccount, index: number) => CallMemory])[] = [
  ['router', (account) => account.open('/a/', new MemoryShare())],
  ['connection', (account, index) => account.open(`/${index}/`, connection)],
]

for (const [who, open] of crowds) {
  test(`one ${who} leaves a quarter of the room for readings without room to the others`, () => {
    const account = new MemoryAccount(1_000)
    const calls = Array.from({ length: 64 }, (_, index) => open(account, index))
    const taken = calls.filter((call) => call.takeSpare(MIB))
    assert.equal(taken.length, 48)
    const other = account.open('/other/', new MemoryShare())
    assert.deepEqual([other.takeSpare(16 * MIB), other.takeSpare(1)], [true, false])
    other.releaseSpare()
    for (const call of taken.slice(0, 2)) call.releaseSpare()
    assert.equal(calls.filter((call) => call.takeSpare(MIB)).length, 2)
  })
}

test('a router with a reading without room keeps its share beside 20,000 other routers', () => {
  const account = new MemoryAccount(1_000)
  const call = account.open('/busy/', new MemoryShare())
  call.takeSpare(1)
  for (let i = 0; i <= 20_000; i += 1) account.open(`/${i}/`, new MemoryShare())
  assert.equal(account.open('/busy/', new MemoryShare()).router, call.router)
})

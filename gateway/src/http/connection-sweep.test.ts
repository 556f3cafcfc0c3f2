import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { type Arriving, ConnectionBound } from './connection-bound.ts'

const LONG_MS = 60_000
/** More connections than one turn ends. */
const MANY = 200
const NO_BYTES = { bytes: Number.MAX_SAFE_INTEGER, headBytes: 64 * 1024 }

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await pause(10)
}

class Connection {
  hasCall: boolean
  answers = 0
  progress = 0
  arriving: Arriving = 'head'
  bytesRead = 0
  unreadBytes = 0
  waitingBytes = 0
  readonly trailerBytes = 0
  readonly headFields = 0
  keepsFailedHead = false
  isPaused = false
  readonly resumedMs = 0
  /** How the connection or its call was ended. */
  ended: string | undefined
  readonly #onEnd: () => void

  constructor(hasCall: boolean, onEnd: () => void) {
    this.hasCall = hasCall
    this.#onEnd = onEnd
  }

  end(): void {
    this.#note('end')
  }

  endSlowBody(): boolean {
    return this.arriving === 'body' && this.#note('slow body')
  }

  endPartBehindCall(): boolean {
    return this.arriving === 'head' && this.#note('part behind call')
  }

  #note(how: string): boolean {
    this.ended = how
    this.#onEnd()
    return true
  }
}

/** Connections of which none may stay; `goOn` is called within the first ending, in which the others may go on. */
function sweptConnections(hasCall: boolean, goOn: (connections: readonly Connection[]) => void) {
  let ended = 0
  const connections = Array.from(
    { length: MANY },
    () =>
      new Connection(hasCall, () => {
        ended += 1
        if (ended === 1) goOn(connections)
      }),
  )
  return connections
}

function sweep(connections: readonly Connection[], unserved: ReadonlySet<Socket> = new Set()): void {
  const served = new Map(connections.map((connection) => [{}, connection]))
  new ConnectionBound(createServer(), { served, unserved }, { ...NO_BYTES, count: 0 }).check()
}

function unservedSockets(t: TestContext): Set<Socket> {
  const sockets = Array.from({ length: MANY }, () => new Socket())
  t.after(() => sockets.map((socket) => socket.destroy()))
  return new Set(sockets)
}

test('a connection that made a call since the sweep began is not ended by it', { timeout: LONG_MS }, async (t) => {
  const unserved = unservedSockets(t)
  const sockets = [...unserved]
  const [later] = sockets.slice(-1)
  const connections = sweptConnections(false, ([...all]) => {
    // A connection that waited is served meanwhile, and another one gets its first answer.
    const [caller] = all.slice(-1)
    assert.ok(later !== undefined && caller !== undefined)
    unserved.delete(later)
    caller.progress = 100
    caller.answers = 1
  })
  sweep(connections, unserved)
  const count = (): number => connections.filter(({ ended }) => ended !== undefined).length
  await until(() => count() + sockets.filter(({ destroyed }) => destroyed).length >= 2 * MANY - 2)
  assert.deepEqual([later?.destroyed, connections.at(-1)?.ended], [false, undefined])
})

for (const [name, goOn] of [
  ['whose body went on', (caller: Connection) => (caller.progress = 100)],
  ['whose call was answered, so that the next body arrives,', (caller: Connection) => (caller.answers = 1)],
] as const) {
  test(`a call ${name} since the sweep began is not ended by it`, { timeout: LONG_MS }, async () => {
    const connections = sweptConnections(true, (all) => all.slice(-1).map(goOn))
    for (const connection of connections) connection.arriving = 'body'
    sweep(connections)
    await until(() => connections.slice(0, -1).every(({ ended }) => ended === 'slow body'))
    assert.equal(connections.at(-1)?.ended, undefined)
  })
}

for (const [name, bytes] of [
  ['a request', 1],
  ['many bytes', 100_000],
] as const) {
  test(`a call that began behind the one with ${name} behind it, since the sweep began, is not ended`, {
    timeout: LONG_MS,
  }, async () => {
    const connections = sweptConnections(true, (all) => all.slice(-1).map((caller) => (caller.answers = 1)))
    for (const connection of connections) connection.waitingBytes = connection.unreadBytes = bytes
    sweep(connections)
    await until(() => connections.slice(0, -1).every(({ ended }) => ended === 'part behind call'))
    assert.equal(connections.at(-1)?.ended, undefined)
  })
}

test('a whole call that holds a large unread body goes on', { timeout: LONG_MS }, async () => {
  const connections = sweptConnections(true, () => undefined)
  const [unread] = connections
  assert.ok(unread !== undefined)
  for (const connection of connections) connection.waitingBytes = 1
  unread.waitingBytes = 0
  unread.unreadBytes = 1_000_000
  sweep(connections)
  await until(() => connections.slice(1).every(({ ended }) => ended !== undefined))
  assert.equal(unread.ended, undefined)
})

test('a failed head that node’s parser keeps behind a running call counts, and its connection ends', {
  timeout: LONG_MS,
}, async () => {
  const connections = sweptConnections(true, () => undefined)
  for (const connection of connections.slice(1)) connection.keepsFailedHead = true
  const served = new Map(connections.map((connection) => [{}, connection]))
  new ConnectionBound(createServer(), { served, unserved: new Set() }, { ...NO_BYTES, bytes: 1, count: 1_000 }).check()
  await until(() => connections.slice(1).every(({ ended }) => ended === 'part behind call'))
  assert.equal(connections[0]?.ended, undefined)
})

for (const [name, arriving] of [
  ['bodies', 'body'],
  ['idle connections', 'head'],
] as const) {
  test(`of silent ${name} those end last that the gateway does not read`, { timeout: LONG_MS }, async () => {
    const order: Connection[] = []
    const connections = Array.from({ length: MANY }, () => {
      const connection: Connection = new Connection(arriving === 'body', () => order.push(connection))
      return Object.assign(connection, { arriving, answers: 1 })
    })
    const paused = connections.slice(0, 10)
    for (const connection of paused) connection.isPaused = true
    sweep(connections)
    await until(() => order.length === MANY)
    assert.deepEqual(new Set(order.slice(-10)), new Set(paused))
  })
}

test('a sweep counts connections, notes their silence and ends them in turns of their own', {
  timeout: LONG_MS,
}, async () => {
  let turn = 0
  const firstTurns = new Map<string, number>()
  const note = (step: string): void => {
    if (!firstTurns.has(step)) firstTurns.set(step, turn)
  }
  const connection = new Connection(false, () => note('ended'))
  Object.defineProperty(connection, 'unreadBytes', {
    get: () => {
      note('counted')
      return 0
    },
  })
  Object.defineProperty(connection, 'progress', {
    get: () => {
      note('compared')
      return 0
    },
  })
  sweep([connection])
  while (connection.ended === undefined) {
    await nextTurn()
    turn += 1
  }
  assert.equal(new Set(firstTurns.values()).size, 3, [...firstTurns].join(' '))
})

test('a turn of a sweep looks at some connections, not at all of them', { timeout: LONG_MS }, async () => {
  let looks = 0
  const ended: number[] = []
  const connections = Array.from({ length: 10_000 }, (_, index) => {
    const connection = new Connection(true, () => ended.push(index))
    const get = (): number => {
      looks += 1
      return 0
    }
    return Object.defineProperties(connection, { unreadBytes: { get }, progress: { get } })
  })
  // The last one has no call, so that the sweep has to look at all of them before it ends one.
  Object.assign(connections.at(-1) ?? {}, { hasCall: false })
  sweep(connections)
  let most = 0
  while (ended.length === 0) {
    const before = looks
    await nextTurn()
    most = Math.max(most, looks - before)
  }
  assert.ok(looks >= 20_000, String(looks))
  assert.ok(most <= 4_096, `${most} looks in one turn`)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { AcceptFirst, type AcceptTimes } from './accept-first.ts'
import { FirstHead } from './first-head.ts'
import { MANY_PIECES, type PausableReader, ReadLimiter } from './read-limiter.ts'
import { trackedServerUnderTest } from './tracked-server-under-test.ts'

const MANY = 60
const LONG_MS = 60_000
const LONG = { accepting: LONG_MS, reading: LONG_MS }
/** The network of connections without another one. */
const CROWDED = '10.0.0.1'

/** Records which connections were looked at, served and made to wait; those of `many` have first bytes that wait. */
class Scene {
  readonly looked: number[] = []
  readonly served: number[] = []
  readonly waiting: number[] = []
  /** The calls of `hold` (true) and `release`. */
  readonly holds: boolean[] = []
  readonly first: AcceptFirst
  readonly #many: readonly number[]
  readonly #routers: ReadonlyMap<number, string>
  /** The connections whose requests have no key. */
  readonly keyless = new Set<number>()
  /** The networks of connections that come from elsewhere than the crowded one. */
  readonly networks = new Map<number, string>()
  #accepted = 0

  /**
   * `routers` are the routers of the connections' first requests; a connection without one has no first bytes.
   */
  constructor(times: AcceptTimes, many: readonly number[] = [], routers = new Map<number, string>()) {
    this.#many = many
    this.#routers = routers
    const indexes = new Map<PausableReader, number>()
    const limiter = {
      hold: () => this.holds.push(true),
      release: () => this.holds.push(false),
      endReading: () => undefined,
      wait: (reader: PausableReader) => this.waiting.push(indexes.get(reader) ?? -1),
    }
    const names = new Set(['api-key'])
    const routerOf = (head: FirstHead): string => (head.headersOf(names).has('api-key') ? head.target : '')
    this.first = new AcceptFirst({ times, limiter, held: [limiter], routerOf })
    this.#indexes = indexes
  }

  readonly #indexes: Map<PausableReader, number>

  /** Accepts a connection in each of `count` turns. */
  async accept(count: number): Promise<void> {
    for (let turn = 0; turn < count; turn += 1) {
      this.addTogether(1)
      await nextTurn()
    }
  }

  /** Accepts `count` connections in one turn. */
  addTogether(count: number): void {
    for (let added = 0; added < count; added += 1) {
      const index = this.#accepted
      this.#accepted += 1
      const connection = {
        isPaused: true,
        isProven: false,
        router: '',
        sentSmallPieces: true,
        pause: () => undefined,
        resume: () => undefined,
        look: () => void this.looked.push(index),
        endLook: () => this.#many.includes(index),
        firstBytes: this.#routers.has(index) ? 100 : 0,
        head: headFor(this.#routers.get(index), !this.keyless.has(index)),
        network: this.networks.get(index) ?? CROWDED,
        serve: () => void this.served.push(index),
      }
      this.#indexes.set(connection, index)
      this.first.add(connection)
    }
  }
}

function headFor(router: string | undefined, hasKey = true): FirstHead | undefined {
  const key = hasKey ? 'Api-Key: a\r\n' : ''
  return router === undefined ? undefined : FirstHead.of(Buffer.from(`GET ${router} HTTP/1.1\r\n${key}\r\n`))
}

function upTo(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index)
}

test('of connections accepted turn after turn the first is served at once, the others after a turn without an accept', async () => {
  const scene = new Scene(LONG)
  await scene.accept(20)
  assert.deepEqual([scene.looked, scene.served], [[], [0]])
  assert.deepEqual(new Set(scene.holds), new Set([true]))
  while (scene.served.length < 20) await nextTurn()
  assert.deepEqual(scene.served, upTo(20))
  assert.equal(scene.holds.at(-1), false)
})

test('connections whose first bytes have many pieces wait in the limiter', async () => {
  const scene = new Scene(LONG, [3, 5])
  await scene.accept(8)
  while (scene.served.length < 6) await nextTurn()
  assert.deepEqual(
    [scene.waiting, scene.served],
    [
      [3, 5],
      [0, 1, 2, 4, 6, 7],
    ],
  )
})

test('connections that have sent nothing are looked at twice, behind others, and few of them are served in a turn', async () => {
  const scene = new Scene(LONG, [], new Map([[250, '/few/']]))
  await scene.accept(1)
  scene.addTogether(499)
  const served: number[] = []
  while (scene.served.length < 500) {
    const before = scene.served.length
    await nextTurn()
    served.push(scene.served.length - before)
  }
  assert.equal(scene.served.indexOf(250), 1)
  assert.ok(Math.max(...served) <= 32, served.join())
  for (const index of [1, 249, 251, 499])
    assert.equal(scene.looked.filter((each) => each === index).length, 2, String(index))
})

test('a long line is looked at while further connections are accepted', async () => {
  const scene = new Scene(LONG)
  await scene.accept(1)
  for (let turn = 0; turn < 8; turn += 1) {
    scene.addTogether(128)
    await nextTurn()
  }
  assert.ok(scene.looked.length >= 128, String(scene.looked.length))
  assert.deepEqual(new Set(scene.holds), new Set([true]))
})

test('of hundreds of connections each turn looks at 256', async () => {
  const scene = new Scene(LONG, [], new Map(upTo(1_000).map((index) => [index, '/crowd/'])))
  await scene.accept(1)
  scene.addTogether(900)
  const looks: number[] = []
  while (scene.looked.length < 900) {
    const before = scene.looked.length
    await nextTurn()
    if (scene.looked.length > before) looks.push(scene.looked.length - before)
  }
  assert.equal(Math.max(...looks), 256)
})

test('of a long line the oldest and the newest are looked at by turns', async () => {
  const scene = new Scene(LONG, [], new Map(upTo(1_001).map((index) => [index, '/crowd/'])))
  await scene.accept(1)
  scene.addTogether(1_000)
  while (scene.looked.length < 1_000) await nextTurn()
  assert.deepEqual(
    [0, 255, 256, 511, 512].map((place) => scene.looked[place]),
    [1, 256, 1_000, 745, 257],
  )
})

test('routers take turns: a connection behind a crowd at another router is among the first that are served', async () => {
  const crowd = upTo(300).map((index) => [index, '/crowd/'] as const)
  const scene = new Scene(LONG, [], new Map([...crowd, [290, '/few/']]))
  await scene.accept(300)
  while (scene.looked.length < 299) await nextTurn()
  const before = scene.served.length
  while (!scene.served.includes(290)) await nextTurn()
  const place = scene.served.indexOf(290) - before
  assert.ok(place <= 32, `${place} connections were served before it`)
  while (scene.served.length < 300) {
    const servedBefore = scene.served.length
    await nextTurn()
    assert.ok(scene.served.length - servedBefore <= 32)
  }
})

for (const [name, routerOfCrowd] of [
  ['requests for the same router without its key', '/few/'],
  ['no bytes', undefined],
] as const) {
  const keyless = upTo(300).filter((index) => index !== 290)
  const sceneOf = (): Scene => {
    const requests = routerOfCrowd === undefined ? [] : keyless.map((index) => [index, routerOfCrowd] as const)
    const scene = new Scene(LONG, [], new Map([...requests, [290, '/few/']]))
    for (const index of keyless) scene.keyless.add(index)
    return scene
  }

  test(`a connection with the key behind a crowd with ${name} is among the first that are served`, async () => {
    const scene = sceneOf()
    await scene.accept(300)
    const before = scene.served.length
    while (!scene.served.includes(290)) await nextTurn()
    assert.ok(scene.served.indexOf(290) - before <= 32, `${scene.served.length - before} connections were served`)
  })

  test(`of connections with ${name} those of another network than the crowd's are among the first`, async () => {
    const scene = sceneOf()
    scene.networks.set(280, '10.0.0.2')
    await scene.accept(300)
    const before = scene.served.length
    while (!scene.served.includes(280)) await nextTurn()
    // Connections with no bytes wait for a second look.
    assert.ok(scene.served.indexOf(280) - before <= 100, `${scene.served.length - before} connections were served`)
  })
}

test('beside connections with the keys of many routers, those without a key have every second place', async () => {
  const scene = new Scene(LONG, [], new Map(upTo(300).map((index) => [index, `/r${index}/`] as const)))
  for (const index of upTo(300)) if (index % 2 === 1) scene.keyless.add(index)
  await scene.accept(300)
  while (scene.served.length < 40) await nextTurn()
  const keyless = scene.served.slice(1, 33).filter((index) => index % 2 === 1)
  assert.equal(keyless.length, 16)
})

test('connections are served after the longest time, though others are accepted in every turn', async () => {
  const scene = new Scene({ accepting: 0, reading: LONG_MS })
  await scene.accept(20)
  assert.ok(scene.served.length >= 16, String(scene.served))
})

test('after the longest time of reading, further connections are held again', async () => {
  const scene = new Scene({ accepting: LONG_MS, reading: 0 })
  await scene.accept(20)
  assert.deepEqual(scene.served, [0])
})

test('connections that arrive together are all accepted before more than one of them is read', {
  timeout: 60_000,
}, async (t) => {
  const { server, open } = await trackedServerUnderTest(t, { acceptTimes: LONG })
  let accepted = 0
  const acceptedAtRequest: number[] = []
  server.on('connection', () => {
    accepted += 1
  })
  server.on('request', (_, response) => {
    acceptedAtRequest.push(accepted)
    response.end()
  })
  for (let count = 0; count < MANY; count += 1) open().write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  while (acceptedAtRequest.length < MANY) await nextTurn()
  assert.ok(
    acceptedAtRequest.slice(1).every((count) => count === MANY),
    acceptedAtRequest.join(' '),
  )
})

test('a connection of which calls were answered is read between turns that end with many first bytes', async (t) => {
  const limiter = new ReadLimiter()
  const known = { isProven: true, sentSmallPieces: false, router: '/few/', network: '', isPaused: false }
  limiter.add(
    Object.assign(known, {
      pause: () => {
        known.isPaused = true
      },
      resume: () => {
        known.isPaused = false
      },
    }),
  )
  const first = new AcceptFirst({ times: LONG, limiter, held: [limiter], routerOf: () => '/crowd/' })
  const head = headFor('/crowd/')
  let served = 0
  const serve = (): void => {
    served += 1
    // A connection gets its first bytes in a tick of its own; those of a few are as many pieces as a turn reads.
    process.nextTick(() => limiter.countEvent(MANY_PIECES))
    // A turn that takes a millisecond is followed by the timer below, which runs before sockets are read.
    const end = performance.now() + 0.2
    while (performance.now() < end);
  }
  const looks: boolean[] = []
  const timer = setInterval(() => void (served > 0 && looks.push(known.isPaused)), 1)
  t.after(() => clearInterval(timer))
  const connection = { ...known, isProven: false, pause: () => undefined, resume: () => undefined }
  const add = (): void =>
    first.add({ ...connection, look: () => undefined, endLook: () => false, firstBytes: 10, head, serve })
  add()
  for (let count = 0; count < 400; count += 1) {
    if (count === 10) limiter.countPieces(16 * MANY_PIECES)
    add()
    if (count % 100 === 0) await nextTurn()
  }
  while (served < 400) await nextTurn()
  assert.ok(looks.length > 5)
  assert.deepEqual(
    looks,
    looks.map(() => false),
  )
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLogger } from '@llm-gateway/conf'
import { textAt } from './json-value.ts'
import { type ReflectorOptions, type ReflectorTimings, startReflector } from './reflector.ts'
import {
  type Act,
  answer,
  list,
  object,
  type ScriptedServer,
  startScriptedServer,
  type WatchEvent,
  watch,
} from './scripted-server-under-test.ts'
import { decodeMetadata, Store, type Stored } from './store.ts'
import { createTransport } from './transport.ts'

// Rules: docs/reference/kubernetes.md#watches, docs/reference/kubernetes.md#reasons

const FAST: ReflectorTimings = {
  firstBackoffMs: 20,
  mostBackoffMs: 200,
  watchSeconds: [300, 600],
  stallMs: 400,
  workedMs: 2_000,
}
const STAY = watch([], 'stay')
/** Timers count whole milliseconds, so a wait may be early by this much. */
const EARLY_MS = 2

type Scene = {
  readonly server: ScriptedServer
  readonly store: Store<Stored>
  readonly lines: readonly string[]
  readonly synced: Promise<void>
  /** The store's changes: `name@version` or `name gone`. */
  readonly changes: readonly string[]
  /** The store's objects: `name@version`. */
  names(): string
  /** Returns the query of the n-th call. */
  query(index: number): URLSearchParams
  [Symbol.asyncDispose](): Promise<void>
}

type Differing = Partial<Omit<ReflectorOptions<Stored>, 'store'>> & { readonly store?: Store<Stored> }

async function scene(script: readonly Act[], more: Differing = {}): Promise<Scene> {
  const server = await startScriptedServer(script)
  const transport = createTransport({ access: server.access })
  const lines: string[] = []
  const logger = createLogger({ service: 'test', write: (line) => lines.push(line) })
  const { store = new Store<Stored>() } = more
  const changes: string[] = []
  store.onChange(({ before, after }) =>
    changes.push(
      after === undefined
        ? `${before?.metadata.name} gone`
        : `${after.metadata.name}@${after.metadata.resourceVersion}`,
    ),
  )
  const reflector = startReflector({
    transport,
    path: '/api/v1/secrets',
    store,
    decode: decodeMetadata,
    logger,
    timings: FAST,
    ...more,
  })
  return {
    server,
    store,
    changes,
    lines,
    synced: reflector.synced,
    names: () =>
      [...store.objects.values()].map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`).join(' '),
    query: (index) => new URL(server.calls[index]?.split(' ')[1] ?? '', 'http://a').searchParams,
    [Symbol.asyncDispose]: async () => {
      await reflector.close()
      await transport.close()
      await server[Symbol.asyncDispose]()
    },
  }
}

const changes: readonly WatchEvent[] = [
  ['MODIFIED', object('a', '6')],
  ['ADDED', object('c', '7')],
  ['DELETED', object('b', '8')],
  ['BOOKMARK', { metadata: { resourceVersion: '20' } }],
]

test('the reflector lists the newest state, watches from there, and continues an ended watch at its last bookmark', async () => {
  await using one = await scene([list('5', ['a', 'b']), watch(changes, 'end'), STAY])
  await one.server.until('a second watch', () => one.server.calls.length === 3)
  assert.equal(one.names(), 'a@6 c@7')
  assert.equal(one.query(0).get('resourceVersion'), null)
  assert.deepEqual([one.query(1).get('resourceVersion'), one.query(2).get('resourceVersion')], ['5', '20'])
  assert.equal(one.query(1).get('allowWatchBookmarks'), 'true')
  const seconds = Number(one.query(1).get('timeoutSeconds'))
  assert.ok(seconds >= 300 && seconds <= 600, `${seconds}`)
})

test('a long list is read in pages, and the store changes only when the list is complete', async () => {
  const rest = list('5', ['b'])
  let released = (): void => undefined
  const held: Act = (response, request) => {
    released = () => rest(response, request)
  }
  await using one = await scene([list('5', ['a'], 'next'), held, STAY])
  await one.server.until('the second page', () => one.server.calls.length === 2)
  assert.equal(one.store.objects.size, 0, 'a part of a list changes nothing: the missing objects would look deleted')
  assert.deepEqual([one.query(0).get('limit'), one.query(1).get('continue')], ['500', 'next'])
  released()
  await one.synced
  assert.equal(one.names(), 'a@5 b@5')
})

const gone = { kind: 'Status', code: 410, reason: 'Expired' }
const forgotten: readonly (readonly [string, Act])[] = [
  ['as the answer to a watch', answer(410, gone)],
  ['as an ERROR event in a watch', watch([['ERROR', gone]], 'end')],
]
for (const [how, act] of forgotten) {
  test(`410 ${how} leads to a new list; objects that were deleted meanwhile are gone`, async () => {
    const first = watch([['MODIFIED', object('a', '6')]], 'end')
    await using one = await scene([list('5', ['a', 'b']), first, act, list('9', ['a', 'c']), STAY])
    await one.server.until('a new watch', () => one.server.calls.length === 5)
    assert.equal(one.names(), 'a@9 c@9')
    assert.deepEqual([one.query(3).get('resourceVersion'), one.query(4).get('resourceVersion')], [null, '9'])
  })
}

test('410 on a later page leads to a list without pages; repeated 410s cause no storm of requests', async () => {
  await using one = await scene([list('5', ['a'], 'next'), answer(410, gone), list('9', ['b']), STAY])
  await one.synced
  assert.equal(one.names(), 'b@9')
  assert.equal(one.query(2).get('limit'), null)

  const always: Act = (response, request) =>
    (request.url?.includes('watch=1') ? answer(410, gone) : list('5', ['a']))(response, request)
  await using storm = await scene([always])
  await storm.server.until('some rounds', () => storm.server.calls.length >= 8)
  const [first = 0, last = 0] = [storm.server.times[0], storm.server.times[7]]
  assert.ok(last - first >= 20 + 40 + 80 - EARLY_MS, `${last - first} ms`)
})

test('waits between failures grow to the maximum, and begin at the minimum after a success', async () => {
  // With waits that went on growing, the test would never end.
  const failing = Array.from({ length: 16 }, () => answer(500, {}))
  const events = Array.from({ length: 8 }, () => watch([['MODIFIED', object('a', '6')]], 'cut'))
  await using one = await scene([...failing, list('5', ['a']), ...events, STAY])
  const calls = failing.length + 1 + events.length + 1
  await one.server.until('a watch after the last cut', () => one.server.calls.length >= calls)
  const waits = one.server.times.slice(1).map((time, index) => time - (one.server.times[index] ?? 0))
  for (const [index, least] of [20, 40, 80, 160, 200].entries()) {
    const wait = waits[index] ?? 0
    assert.ok(wait >= least - EARLY_MS, `wait ${index}: ${wait} ms`)
  }
  // The shortest wait counts: others are longer where this process is stopped, and no wait would be shorter than the
  // maximum.
  const afterEvents = waits.slice(failing.length + 1)
  assert.ok(Math.min(...afterEvents) < FAST.mostBackoffMs - EARLY_MS, `after events: ${afterEvents.join(', ')} ms`)
  assert.match(one.lines.join(''), /"code":"500"/)
})

test('the wait before a new watch does not grow while watches without an event are cut', async () => {
  const timings = { ...FAST, mostBackoffMs: 60_000, workedMs: 40 }
  // With growing waits, the test would never end.
  const cuts = Array.from({ length: 14 }, () => watch([], 'cut', 60))
  await using one = await scene([list('5', ['a']), ...cuts, STAY], { timings })
  await one.server.until('the last watch', () => one.server.calls.length >= cuts.length + 2)
  assert.equal(one.query(cuts.length + 1).get('resourceVersion'), '5', 'no new list')
})

test('after 429 the reflector tries again at the time that the server named, not sooner', async () => {
  const busy = answer(429, { code: 429 }, { 'retry-after': '1' })
  await using one = await scene([list('5', ['a']), busy, STAY])
  await one.server.until('a watch', () => one.server.calls.length === 3)
  const wait = (one.server.times[2] ?? 0) - (one.server.times[1] ?? 0)
  assert.ok(wait >= 1_000 - EARLY_MS, `${wait} ms`)
})

test('a 403 to a watch is reported and leads to a new list; without a listener it is logged, and the watch continues', async () => {
  const forbidden = answer(403, { code: 403 })
  const outcomes: string[] = []
  const first = watch([['MODIFIED', object('a', '6')]], 'end')
  const script = [list('5', ['a', 'b']), first, forbidden, forbidden, list('9', ['a']), STAY]
  await using one = await scene(script, { answered: (how) => outcomes.push(how) })
  await one.server.until('a new watch', () => one.server.calls.length === 6)
  assert.deepEqual(outcomes, ['listed', 'forbidden', 'forbidden', 'listed'])
  assert.deepEqual([one.query(3).get('watch'), one.query(5).get('resourceVersion')], [null, '9'])
  assert.equal(one.names(), 'a@9')
  assert.deepEqual(one.lines, [])

  await using untold = await scene([list('5', ['a', 'b']), forbidden, STAY])
  await untold.server.until('a new watch', () => untold.server.calls.length === 3)
  assert.equal(untold.query(2).get('resourceVersion'), '5')
  assert.match(untold.lines.join(''), /"code":"403"/)
})

test('a watch that is silent for too long counts as dead: the reflector lists anew and watches from that list', async () => {
  await using one = await scene([list('5', ['a']), STAY, list('6', ['a']), STAY])
  await one.server.until('a second watch', () => one.server.calls.length === 4)
  const silence = (one.server.times[2] ?? 0) - (one.server.times[1] ?? 0)
  assert.ok(silence >= FAST.stallMs - EARLY_MS, `${silence} ms`)
  assert.deepEqual([one.query(2).get('resourceVersion'), one.query(3).get('resourceVersion')], [null, '6'])
})

test("a listener that throws and an object that can't be decoded stop nothing else", async () => {
  const failures: unknown[] = []
  const store = new Store<Stored>({ listenerFailed: (error) => failures.push(error) })
  store.onChange(({ key }) => {
    if (key === 'n/a') throw new RangeError('a bug')
  })
  const events: readonly WatchEvent[] = [
    ['ADDED', { metadata: { name: 7 } }],
    ['MODIFIED', object('a', '6')],
    ['ADDED', object('c', '7')],
  ]
  await using one = await scene([list('5', ['a', 'b']), watch(events, 'stay')], { store })
  await one.server.until('the last event', () => one.store.objects.has('n/c'))
  assert.equal(one.names(), 'a@6 b@5 c@7')
  assert.equal(failures.length, 2)
  assert.match(one.lines.join(''), /object could not be read/)
})

test('pages and watches of a reflector go through few connections', async () => {
  await using one = await scene([list('5', ['a'], 'x'), list('5', ['b'], 'y'), list('5', ['c']), STAY])
  await one.server.until('a watch', () => one.server.calls.length === 4)
  assert.ok(one.server.connections <= 2, `${one.server.connections}`)
})

test("an object that can't be decoded any more stays in its last known form, in a list too, until it is deleted", async () => {
  const decode = (object: unknown) => (textAt(object, 'spec') === 'newer' ? undefined : decodeMetadata(object))
  const newer = (version: string) => ({ ...object('a', version), spec: 'newer' })
  const relist = answer(200, { items: [newer('7'), object('b', '7')], metadata: { resourceVersion: '7' } })
  const script = [list('5', ['a', 'b']), watch([['MODIFIED', newer('6')]], 'end'), answer(410, gone), relist]
  await using one = await scene([...script, watch([['DELETED', newer('8')]], 'stay')], { decode })
  await one.server.until('the second list', () => one.server.calls.length === 5)
  await one.server.until('the deletion', () => one.names() === 'b@7')
  assert.deepEqual(one.changes, ['a@5', 'b@5', 'b@7', 'a gone'])
})

const back = list('20', ['a', 'b'])
const restored: readonly (readonly [string, readonly Act[]])[] = [
  ['refuses the version', [answer(504, { kind: 'Status', code: 504 })]],
  ['forgot the version', [answer(410, gone)]],
  ['sends an older version', [watch([['BOOKMARK', { metadata: { resourceVersion: '19' } }]], 'stay')]],
  ['is silent', [watch([], 'stay')]],
]
for (const [what, script] of restored) {
  test(`after a restore a server that ${what} is listed anew`, async () => {
    const after = watch([['MODIFIED', object('a', '21')]], 'stay')
    await using one = await scene([list('100', ['a', 'c']), ...script, back, after])
    await one.server.until('the restored objects', () => one.names() === 'a@21 b@20')
  })
}

/** Pages an object list as the API server does; each object has this many bytes. */
function pages(names: readonly string[], bytes: number): Act {
  return (response, request) => {
    const { searchParams } = new URL(request.url ?? '', 'http://a')
    if (searchParams.get('watch') !== null) return STAY(response, request)
    const from = Number(searchParams.get('continue') ?? 0)
    const to = from + Number(searchParams.get('limit') ?? names.length)
    const items = names.slice(from, to).map((name) => ({ ...object(name, '5'), spec: 'x'.repeat(bytes) }))
    const more = to < names.length ? String(to) : ''
    answer(200, { items, metadata: { resourceVersion: '5', continue: more } })(response, request)
  }
}
const named = (count: number) => Array.from({ length: count }, (_, index) => `o${index}`)
const limitsOf = ({ server, query }: Scene) =>
  server.calls.flatMap((_, index) => {
    const limit = query(index).get('limit')
    return limit === null ? [] : [Number(limit)]
  })

test('a page that is too long is asked for again with fewer objects, down to one; small pages grow again', async () => {
  const mixed: Act = (response, request) => {
    const from = Number(new URL(request.url ?? '', 'http://a').searchParams.get('continue') ?? 0)
    return pages(named(80), from < 3 ? 1_300_000 : 1_000)(response, request)
  }
  await using one = await scene([mixed])
  await one.synced
  assert.equal(one.store.objects.size, 80)
  const limits = limitsOf(one)
  assert.deepEqual(limits.slice(0, 11), [500, 250, 125, 62, 31, 15, 7, 3, 1, 1, 1])
  assert.deepEqual([...new Set(limits.slice(11))], [1, 2, 4, 8])
})

test('a list in one piece that is too long is read in pages again', async () => {
  const objects = pages(named(20), 1_300_000)
  let refusals = 0
  const forgetful: Act = (response, request) => {
    const isLater = request.url?.includes('continue=') === true
    if (isLater) refusals += 1
    return (isLater && refusals === 1 ? answer(410, gone) : objects)(response, request)
  }
  await using one = await scene([forgetful])
  await one.synced
  assert.equal(one.store.objects.size, 20)
})

test("an object that is nested too deeply for its decoder doesn't stop the others", async () => {
  const decode = (one: unknown) => {
    if (textAt(one, 'metadata', 'name') === 'a') throw new RangeError('the stack')
    return decodeMetadata(one)
  }
  await using one = await scene([list('5', ['a', 'b']), STAY], { decode })
  await one.synced
  assert.equal(one.names(), 'b@5')
  assert.match(one.lines.join(''), /object could not be read/)
})

test('others have their turns of the event loop while a long event is parsed', async () => {
  const long = `{"metadata":{"name":"a","resourceVersion":"6"},"config":[${'[],'.repeat(200_000)}1]}`
  const store = new Store<Stored>()
  const came = Promise.withResolvers<void>()
  store.onChange(() => came.resolve())
  const between = { turns: 0, counting: setImmediate(() => undefined) }
  const count = (): void => {
    between.turns += 1
    between.counting = setImmediate(count)
  }
  const ended = Promise.withResolvers<void>()
  async function* lines() {
    count()
    yield `{"type":"ADDED","object":${long}}`
    await ended.promise
  }
  const reflector = startReflector({
    transport: {
      request: async () => ({ status: 200, body: { metadata: { resourceVersion: '5' }, items: [] }, retryAfterMs: 0 }),
      watch: async () => ({ status: 200, lines: lines(), retryAfterMs: 0 }),
    },
    path: '/a',
    store,
    decode: decodeMetadata,
    logger: createLogger({ service: 'test', write: () => undefined }),
  })
  await came.promise
  clearImmediate(between.counting)
  const closed = reflector.close()
  ended.resolve()
  await closed
  assert.ok(between.turns > 2, `${between.turns}`)
})

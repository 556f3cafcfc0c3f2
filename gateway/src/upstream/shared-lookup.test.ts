import assert from 'node:assert/strict'
import type { LookupAddress, LookupOptions } from 'node:dns'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { SharedLookup } from './shared-lookup.ts'

type Answer = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void
const HERE = [{ address: '127.0.0.1', family: 4 }]

/** A lookup whose questions the test answers, with the outcomes in their order. */
function lookups() {
  const asked: { readonly hostname: string; readonly answer: Answer }[] = []
  const shared = new SharedLookup((hostname, _, answer) => void asked.push({ hostname, answer }))
  const outcomes: string[] = []
  return {
    asked,
    outcomes,
    names: () => asked.map(({ hostname }) => hostname),
    ask: (hostname: string, options: LookupOptions = {}) =>
      shared.lookup(hostname, options, (error, address) => {
        outcomes.push(`${hostname} ${error?.code ?? JSON.stringify(address)}`)
      }),
  }
}

test('equal questions are asked once at a time, and each gets the answer in its form', () => {
  const { asked, outcomes, names, ask } = lookups()
  ask('a.example')
  ask('a.example', { all: true })
  ask('b.example', { family: 6 })
  ask('b.example', { family: 4 })
  assert.deepEqual(names(), ['a.example'])
  asked[0]?.answer(null, HERE)
  assert.deepEqual(outcomes, ['a.example "127.0.0.1"', `a.example ${JSON.stringify(HERE)}`])
  asked[1]?.answer(null, HERE)
  asked[2]?.answer(null, HERE)
  ask('a.example')
  assert.deepEqual(names(), ['a.example', 'b.example', 'b.example', 'a.example'])
})

/** Lookups with a clock: an answer takes a time in milliseconds, and is a failure unless it has addresses. */
function timedLookups(t: TestContext) {
  let nowMs = 0
  t.mock.method(performance, 'now', () => nowMs)
  const lookup = lookups()
  const failed = Object.assign(new Error('no answer'), { code: 'EAI_AGAIN' })
  return {
    ...lookup,
    answer: (hostname: string, ms: number, addresses: LookupAddress[] = []) => {
      const index = lookup.asked.findIndex((question) => question.hostname === hostname)
      assert.notEqual(index, -1, `${hostname} is not asked, but ${lookup.names()}`)
      const [question] = lookup.asked.splice(index, 1)
      nowMs += ms
      question?.answer(addresses.length === 0 ? failed : null, addresses)
    },
  }
}

test('names that were answered soon are asked beside others, and the others one after another', (t) => {
  const { outcomes, names, ask, answer } = timedLookups(t)
  for (const name of ['a.known', 'b.silent', 'c.silent', 'd.new', 'e.known']) ask(name)
  assert.deepEqual(names(), ['a.known'])
  answer('a.known', 0, HERE)
  assert.deepEqual(names(), ['b.silent'])
  // A name that was answered waits for none of the others.
  ask('a.known')
  assert.deepEqual(names(), ['b.silent', 'a.known'])
  answer('a.known', 0, HERE)
  answer('b.silent', 10_000)
  assert.equal(outcomes.at(-1), 'b.silent EAI_AGAIN')
  // New names, whose domains take turns, and names that weren't answered are asked alternately.
  ask('b.silent')
  for (const name of ['c.silent', 'b.silent', 'd.new', 'e.known']) {
    assert.deepEqual(names(), [name])
    answer(name, 0, HERE)
  }
  assert.deepEqual(names(), [])
})

test('a slow name is asked while a domain has many new names that nobody answers', (t) => {
  const { names, ask, answer } = timedLookups(t)
  ask('api.good')
  answer('api.good', 5_000, HERE)
  for (let name = 0; name < 100; name += 1) ask(`${name}.silent.example`)
  // A single slow answer doesn't make a name slow.
  ask('api.good')
  assert.deepEqual(names(), ['0.silent.example', 'api.good'])
  answer('api.good', 5_000, HERE)
  ask('api.good')
  assert.deepEqual(names(), ['0.silent.example'])
  answer('0.silent.example', 10_000)
  assert.deepEqual(names(), ['api.good'])
  // A slow name stays slow until it is answered soon.
  answer('api.good', 5_000, HERE)
  ask('api.good')
  assert.deepEqual(names(), ['1.silent.example'])
  answer('1.silent.example', 10_000)
  answer('api.good', 0, HERE)
  ask('api.good')
  assert.deepEqual(names(), ['2.silent.example', 'api.good'])
})

test('new names are asked while names that were answered soon always wait', (t) => {
  const { names, ask, answer } = timedLookups(t)
  const known = ['a.cluster.local', 'b.cluster.local', 'a.good.com', 'b.good.com']
  for (const name of known) {
    ask(name)
    answer(name, 0, HERE)
  }
  for (const name of known) ask(name)
  assert.deepEqual(names(), ['a.cluster.local', 'a.good.com'])
  ask('new.cluster.local')
  answer('a.cluster.local', 0, HERE)
  assert.deepEqual(names(), ['a.good.com', 'new.cluster.local'])
  answer('a.good.com', 0, HERE)
  assert.deepEqual(names(), ['new.cluster.local', 'b.cluster.local'])
})

test('a name that was answered soon waits for no new name of its domain', (t) => {
  const { names, ask, answer } = timedLookups(t)
  ask('llm.both.example')
  answer('llm.both.example', 0, HERE)
  ask('1.both.example')
  ask('llm.both.example')
  assert.deepEqual(names(), ['1.both.example', 'llm.both.example'])
})

for (const shared of ['co.uk', 'com.au', 'svc.cluster.local']) {
  test(`names below ${shared} belong to different owners, who take turns`, (t) => {
    const { names, ask, answer } = timedLookups(t)
    for (const name of ['1.evil', '2.evil', '3.evil', 'llm.good']) ask(`${name}.${shared}`)
    answer(`1.evil.${shared}`, 10_000)
    answer(`2.evil.${shared}`, 10_000)
    assert.deepEqual(names(), [`llm.good.${shared}`])
  })
}

test('a short label makes no owners of the names below a domain', (t) => {
  const { names, ask, answer } = timedLookups(t)
  for (const name of ['1.a.abc.de', '2.b.abc.de', '3.c.abc.de', 'llm.good.example']) ask(name)
  answer('1.a.abc.de', 10_000)
  answer('2.b.abc.de', 10_000)
  assert.deepEqual(names(), ['llm.good.example'])
})

test('the names of a domain are asked one after another, and those of other domains beside them', () => {
  const { asked, names, ask } = lookups()
  const known = ['1.a.example', '2.a.example', '3.a.example', '1.B.example.', '2.b.example']
  for (const name of known) {
    ask(name)
    asked.pop()?.answer(null, HERE)
  }
  for (const name of known) ask(name)
  assert.deepEqual(names(), ['1.a.example', '1.B.example.'])
})

test('at most 4,000 names wait, and those of one domain only while fewer than 2,000 do', async () => {
  const { asked, outcomes, ask } = lookups()
  for (let name = 0; name < 2_001; name += 1) ask(`${name}.a.example`)
  await nextTurn()
  assert.deepEqual(outcomes, [])
  ask('late.a.example')
  for (let name = 2_000; name < 4_000; name += 1) ask(`${name}.example`)
  await nextTurn()
  assert.deepEqual(outcomes, ['late.a.example EAI_AGAIN'])
  ask('late.example')
  await nextTurn()
  assert.deepEqual(outcomes.slice(1), ['late.example EAI_AGAIN'])
  outcomes.length = 0
  for (let next = asked.shift(); next !== undefined; next = asked.shift()) next.answer(null, HERE)
  assert.equal(outcomes.length, 4_001)
})

test('at most 10,000 connections wait, and a few for each name in any case', async () => {
  const { asked, outcomes, ask } = lookups()
  const MOST = 10_000
  // The second round tells whether the connections of the first are forgotten.
  for (const round of [1, 2]) {
    outcomes.length = 0
    for (let count = 0; count < MOST; count += 1) ask('a.example')
    for (let count = 0; count < 128; count += 1) ask('b.example')
    await nextTurn()
    assert.deepEqual(outcomes, [], `round ${round}`)
    for (const name of ['a.example', 'b.example']) ask(name)
    await nextTurn()
    assert.deepEqual(outcomes, ['a.example EAI_AGAIN', 'b.example EAI_AGAIN'])
    for (let next = asked.shift(); next !== undefined; next = asked.shift()) next.answer(null, HERE)
    // The answers follow in turns.
    while (outcomes.length < 2 + MOST + 128) await nextTurn()
  }
})

test('of many names that nobody answers at most 20,000 connections wait, and one for each name in any case', async () => {
  const { outcomes, ask } = lookups()
  const askEach = (names: number, connections: number): void => {
    for (let name = 0; name < names; name += 1)
      for (let count = 0; count < connections; count += 1) ask(`${name}.example`)
  }
  askEach(1_000, 128)
  await nextTurn()
  const waiting = 1_000 * 128 - outcomes.length
  assert.ok(waiting >= 20_000 && waiting <= 20_000 + 1_000, `${waiting} connections`)
  outcomes.length = 0
  ask('late.example')
  await nextTurn()
  assert.deepEqual(outcomes, [])
  ask('late.example')
  await nextTurn()
  assert.deepEqual(outcomes, ['late.example EAI_AGAIN'])
})

test('connections wait until they have their answer', async () => {
  const { asked, outcomes, ask } = lookups()
  for (let count = 0; count < 10_000; count += 1) ask('a.example')
  asked.shift()?.answer(null, HERE)
  const answered = outcomes.length
  for (let count = 0; count < 129; count += 1) ask('b.example')
  await new Promise((resolve) => process.nextTick(resolve))
  assert.deepEqual(outcomes.slice(answered), ['b.example EAI_AGAIN'])
})

test('an answer for 100 connections reaches some in each turn, and all of them', async () => {
  const { asked, outcomes, ask } = lookups()
  for (let connections = 0; connections < 100; connections += 1) ask('a.example')
  asked[0]?.answer(null, HERE)
  assert.equal(outcomes.length, 24)
  await nextTurn()
  assert.equal(outcomes.length, 48)
  while (outcomes.length < 100) await nextTurn()
})

test('of a name with thousands of addresses a connection gets 16 different ones of each family', () => {
  const { asked, outcomes, ask } = lookups()
  const numbered = (count: number) => Array.from({ length: count }, (_, index) => index)
  const ipv4 = numbered(20_000).map((index) => ({ address: `224.0.${index >> 8}.${index & 255}`, family: 4 }))
  const ipv6 = numbered(4).map((index) => ({ address: `2001:db8::${index}`, family: 6 }))
  ask('a.example', { all: true })
  asked[0]?.answer(null, [...ipv6, ...ipv6, ...ipv4.slice(0, 2), ...ipv4])
  assert.deepEqual(outcomes, [`a.example ${JSON.stringify([...ipv6, ...ipv4.slice(0, 16)])}`])
})

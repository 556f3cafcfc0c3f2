import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { WorkQueue } from '../work/work-queue.ts'
import { SharedAnswer } from './shared-answer.ts'

/** Takes as many turns as begin and end any rendering of these tests. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await nextTurn()
}

/** An answer whose renderings end when the test says so. */
function answerUnderTest() {
  const renderings: PromiseWithResolvers<string>[] = []
  const sent: string[] = []
  const gone = new Set<string>()
  const place = { state: 1 }
  const answer = new SharedAnswer<string, string>({
    state: () => place.state,
    render: () => {
      const rendering = Promise.withResolvers<string>()
      renderings.push(rendering)
      return rendering.promise
    },
    send: (request, text) => sent.push(`${request}: ${text}`),
    isGone: (request) => gone.has(request),
    work: new WorkQueue(),
  })
  const end = async (index: number, text: string): Promise<void> => {
    renderings[index]?.resolve(text)
    await turns()
  }
  return { answer, renderings, sent, gone, place, end }
}

test('a rendering begins in a later turn, and requests that come until its end share it', async () => {
  const { answer, renderings, sent, end } = answerUnderTest()
  answer.add('a')
  answer.add('b')
  assert.equal(renderings.length, 0)
  await turns()
  answer.add('c')
  await turns()
  assert.equal(renderings.length, 1)
  await end(0, 'text')
  assert.deepEqual(sent, ['a: text', 'b: text', 'c: text'])
  assert.equal(renderings.length, 1)
})

test('a request that comes after a change of the state waits for the next rendering, and only one runs', async () => {
  const { answer, renderings, sent, place, end } = answerUnderTest()
  answer.add('a')
  await turns()
  place.state = 2
  answer.add('b')
  await turns()
  assert.equal(renderings.length, 1)
  await end(0, 'old')
  assert.equal(renderings.length, 2)
  await end(1, 'new')
  assert.deepEqual(sent, ['a: old', 'b: new'])
})

test('a few answers are sent in a turn, and the next rendering begins after the last one', async () => {
  const { answer, renderings, sent, end } = answerUnderTest()
  for (let request = 0; request < 200; request += 1) answer.add(`${request}`)
  await turns()
  renderings[0]?.resolve('text')
  let most = 0
  for (let last = 0; sent.length < 200; last = sent.length) {
    await nextTurn()
    most = Math.max(most, sent.length - last)
    if (sent.length > 0 && last === 0) answer.add('late')
    if (sent.length < 200) assert.equal(renderings.length, 1)
  }
  assert.ok(most <= 4, `${most} answers in a turn`)
  await turns()
  await end(1, 'new')
  assert.deepEqual(sent.slice(200), ['late: new'])
})

test('requests of closed connections get no answer, and no rendering of their own', async () => {
  const { answer, renderings, sent, gone, end } = answerUnderTest()
  answer.add('a')
  gone.add('a')
  await turns()
  assert.equal(renderings.length, 0)
  answer.add('b')
  answer.add('c')
  await turns()
  gone.add('b')
  await end(0, 'text')
  assert.deepEqual(sent, ['c: text'])
})

test('requests of closed connections aren’t kept until the rendering ends', async () => {
  const looks: string[] = []
  const { promise, resolve } = Promise.withResolvers<string>()
  const answer = new SharedAnswer<string, string>({
    state: () => 1,
    render: () => promise,
    send: () => undefined,
    isGone: (request) => {
      looks.push(request)
      return true
    },
    work: new WorkQueue(),
  })
  answer.add('a')
  for (let request = 0; request < 100_000; request += 1) answer.add(`${request}`)
  // Each request was looked at once, when some had gathered.
  assert.ok(looks.length > 98_000 && looks.length <= 100_001, `${looks.length}`)
  resolve('text')
  await turns()
})

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { Journal } from '@llm-gateway/test/fake/journal'
import { failureOf, SettingsError } from '../program/failure.ts'
import { createThread, type ThreadOptions } from './worker-thread.ts'

const PROGRAM = new URL('./thread-under-test.ts', import.meta.url)
/** On a busy machine a thread takes long to start. */
const PATIENT = { weight: 1, timeoutMs: 60_000 }
/** Work that checks for its end needs time for this on a busy machine, too. */
const LONG_GRACE_MS = 30_000

function threadUnderTest(options: Partial<ThreadOptions> = {}) {
  const lines = new Journal<{ readonly fields: object; readonly message: string }>()
  const logger = { warn: (fields: object, message: string) => void lines.add({ fields, message }) }
  const thread = createThread({ program: PROGRAM, name: 'test', logger, heapMegabytes: 64, ...options })
  return {
    thread,
    lines,
    lost: () => lines.entries.map(({ fields }) => ('code' in fields ? fields.code : undefined)),
    [Symbol.asyncDispose]: () => thread.close(),
  }
}

const [END, ANSWER] = [1, 2]

/** Makes a question that waits in the thread for an order. */
function orders() {
  const numbers = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT))
  return {
    numbers,
    give: (order: number) => {
      Atomics.store(numbers, 1, order)
      Atomics.notify(numbers, 1)
    },
    begun: async (times: number) => {
      while (Atomics.load(numbers, 0) < times) await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

test('questions are answered one after the other, the lightest first, and a failed question fails alone', async () => {
  await using scene = threadUnderTest()
  const answered: unknown[] = []
  const ask = async (question: string, weight: number): Promise<void> => {
    answered.push(await scene.thread.ask(question, { weight, timeoutMs: 60_000 }))
  }
  const failing = scene.thread.ask('fail', { weight: 1, timeoutMs: 60_000 })
  const all = [ask('heavy', 1_000), ask('middle', 100), ask('light', 10)]
  await assert.rejects(failing, (error) => {
    const { name, code, at } = failureOf(error)
    assert.deepEqual([name, code], ['RangeError', 'THREAD_ANSWER'])
    assert.match(String(at), /^thread-under-test\.ts:\d+$/)
    return !String(error).includes('planted-secret')
  })
  await Promise.all(all)
  assert.deepEqual(answered, ['light', 'middle', 'heavy'])
  assert.deepEqual(scene.lines.entries, [])
})

for (const [question, code] of [
  ['exit', 'THREAD_ENDED'],
  ['crash', 'THREAD_FAILED'],
  ['fill with arrays', 'THREAD_MEMORY'],
  ['fill one array', 'THREAD_MEMORY'],
  ['fill a map', 'THREAD_MEMORY'],
  ['parse a long text', 'THREAD_MEMORY'],
] as const) {
  test(`a thread lost by "${question}" fails that question, and a new thread answers the next questions`, async () => {
    await using scene = threadUnderTest()
    const bad = assert.rejects(scene.thread.ask(question, PATIENT), { code: 'THREAD_LOST', loss: code })
    const good = scene.thread.ask('good', { ...PATIENT, weight: 1_000 })
    await bad
    assert.equal(await good, 'good')
    assert.deepEqual([scene.lost(), scene.thread.ready], [[code], true])
  })
}

test('abandoned work ends itself if it checks for that', async () => {
  await using scene = threadUnderTest({ graceMs: LONG_GRACE_MS })
  assert.equal(await scene.thread.ask('warm', PATIENT), 'warm')
  await assert.rejects(scene.thread.ask('work', { weight: 1, timeoutMs: 20 }), { code: 'TIMEOUT' })
  assert.equal(await scene.thread.ask('after work', PATIENT), 'after work')
  assert.deepEqual(scene.lost(), [])
  const stop = new AbortController()
  const aborted = scene.thread.ask('work', { ...PATIENT, signal: stop.signal })
  stop.abort()
  await assert.rejects(aborted, { code: 'TIMEOUT' })
})

test('a thread whose abandoned work goes on is ended', async () => {
  await using scene = threadUnderTest()
  assert.equal(await scene.thread.ask('warm', PATIENT), 'warm')
  await assert.rejects(scene.thread.ask('hang', { weight: 1, timeoutMs: 20 }), { code: 'TIMEOUT' })
  assert.equal(await scene.thread.ask('after hang', PATIENT), 'after hang')
  assert.deepEqual(scene.lost(), ['THREAD_STUCK'])
})

for (const [question, lost, graceMs] of [
  ['work', [], LONG_GRACE_MS],
  ['hang', ['THREAD_STUCK'], undefined],
] as const) {
  test(`a question "${question}" with untilEnded that was given up rejects once the thread is free`, async () => {
    await using scene = threadUnderTest(graceMs === undefined ? {} : { graceMs })
    assert.equal(await scene.thread.ask('warm', PATIENT), 'warm')
    const stop = new AbortController()
    const asked = scene.thread.ask(question, { ...PATIENT, signal: stop.signal, untilEnded: true })
    const rejected = assert.rejects(asked, { code: 'TIMEOUT' }).then(() => [scene.thread.questions, scene.lost()])
    assert.equal(scene.thread.questions, 1)
    stop.abort()
    assert.deepEqual(await rejected, [0, lost])
    assert.equal(await scene.thread.ask('after', PATIENT), 'after')
  })
}

test('questions beyond the limits on number and weight are refused, and a close refuses the waiting questions', async () => {
  const { thread } = threadUnderTest({ waiting: 3, waitingWeight: 100 })
  const asked = Promise.allSettled([90, 5, 50, 5, 5].map((weight) => thread.ask('x', { ...PATIENT, weight })))
  await thread.close()
  const codes = (await asked).map((outcome) => (outcome.status === 'rejected' ? outcome.reason.code : 'answered'))
  assert.deepEqual(codes, ['CLOSED', 'CLOSED', 'OVERLOADED', 'CLOSED', 'OVERLOADED'])
  await assert.rejects(thread.ask('x', PATIENT), { code: 'CLOSED' })
})

test('a permanent thread that is lost starts again without a question, and `ready` shows both', async () => {
  await using scene = threadUnderTest()
  await scene.thread.start()
  assert.equal(scene.thread.ready, true)
  await assert.rejects(scene.thread.ask('exit', PATIENT), { code: 'THREAD_LOST' })
  assert.equal(scene.thread.ready, false)
  const end = performance.now() + 60_000
  while (!scene.thread.ready && performance.now() < end) await new Promise((resolve) => setImmediate(resolve))
  assert.equal(scene.thread.ready, true)
})

test('a thread that cannot start reports the reason and is not ready', async () => {
  const refused = threadUnderTest({ data: 'refuse' })
  await assert.rejects(refused.thread.start(), (error) => {
    assert.ok(error instanceof SettingsError)
    return assert.deepEqual(error.reasons, { directory: 'model:' }) === undefined
  })
  await refused.thread.close()
  await using broken = threadUnderTest({ data: 'break', idleMs: 60_000 })
  const asked = assert.rejects(broken.thread.ask('x', { weight: 1, timeoutMs: 60_000 }), { code: 'CLOSED' })
  await broken.lines.waitForCount(1)
  assert.deepEqual([broken.lost(), broken.thread.ready], [['THREAD_FAILED'], false])
  await broken.thread.close()
  await asked
})

test('an idle thread ends and starts again with the next question', async () => {
  await using scene = threadUnderTest({ idleMs: 1 })
  for (const question of ['one', 'two', 'three']) assert.equal(await scene.thread.ask(question, PATIENT), question)
  assert.deepEqual(scene.lost(), [])
})

test('an aborted question is stopped, and a question asked before it is not', async () => {
  await using scene = threadUnderTest()
  const starting = scene.thread.start()
  const stop = new AbortController()
  const heavy = scene.thread.ask('is stopped', { ...PATIENT, weight: 1_000 })
  const light = assert.rejects(scene.thread.ask('work', { ...PATIENT, signal: stop.signal }), { code: 'TIMEOUT' })
  await starting
  stop.abort()
  await light
  assert.equal(await heavy, false)
})

test('a question with an aborted signal is rejected at once', async () => {
  await using scene = threadUnderTest()
  const signal = AbortSignal.abort()
  await assert.rejects(scene.thread.ask('x', { ...PATIENT, signal }), { code: 'TIMEOUT' })
})

test('a thread with concurrency answers a question while an earlier question waits', async () => {
  await using scene = threadUnderTest({ concurrency: 2 })
  const earlier = orders()
  const answer = scene.thread.ask(earlier.numbers, PATIENT)
  assert.equal(await scene.thread.ask('first', PATIENT), 'first')
  assert.equal(await scene.thread.ask('second', PATIENT), 'second')
  earlier.give(ANSWER)
  assert.equal(await answer, 'ordered')
})

test('a lost thread with concurrency fails the questions that it worked on, with the reason', async () => {
  await using scene = threadUnderTest({ concurrency: 2 })
  const lost = { code: 'THREAD_LOST', loss: 'THREAD_ENDED' }
  const all = [scene.thread.ask('pause', PATIENT), scene.thread.ask('exit', PATIENT)]
  const third = scene.thread.ask('good', { ...PATIENT, weight: 1_000 })
  await Promise.all(all.map((answer) => assert.rejects(answer, lost)))
  assert.equal(await third, 'good')
})

test('questions that a lost thread worked on are asked again, each alone, so that only the one that ends it fails', async () => {
  await using scene = threadUnderTest({ concurrency: 4 })
  const again = { ...PATIENT, askAgain: true }
  assert.equal(await scene.thread.ask('warm', again), 'warm')
  const lost = { code: 'THREAD_LOST', loss: 'THREAD_ENDED' }
  const good = [scene.thread.ask('pause', again), scene.thread.ask('pause', again)]
  const once = assert.rejects(scene.thread.ask('pause', PATIENT), lost)
  const bad = assert.rejects(scene.thread.ask('exit', again), lost)
  const later = scene.thread.ask('later', { ...PATIENT, weight: 1_000 })
  await Promise.all([once, bad])
  assert.deepEqual(await Promise.all([...good, later]), ['pause', 'pause', 'later'])
  assert.deepEqual(scene.lost(), ['THREAD_ENDED', 'THREAD_ENDED'])
})

test('no question joins one that is asked again, so the thread that ends with it takes no other along', async () => {
  await using scene = threadUnderTest({ concurrency: 4 })
  const again = { ...PATIENT, askAgain: true }
  const [good, bad, later] = [orders(), orders(), orders()]
  const answers = [scene.thread.ask(good.numbers, again)]
  const lost = assert.rejects(scene.thread.ask(bad.numbers, again), { code: 'THREAD_LOST', loss: 'THREAD_ENDED' })
  await good.begun(1)
  bad.give(END)
  await good.begun(2)
  good.give(ANSWER)
  await bad.begun(2)
  answers.push(scene.thread.ask(later.numbers, PATIENT))
  bad.give(END)
  await lost
  later.give(ANSWER)
  assert.deepEqual(await Promise.all(answers), ['ordered', 'ordered'])
  assert.deepEqual(scene.lost(), ['THREAD_ENDED', 'THREAD_ENDED'])
})

test('a question that waits to be asked again can be given up, and a close refuses it', async () => {
  const scene = threadUnderTest({ concurrency: 3 })
  const again = { ...PATIENT, askAgain: true }
  assert.equal(await scene.thread.ask('warm', again), 'warm')
  const stop = new AbortController()
  const given = assert.rejects(scene.thread.ask('pause', { ...again, signal: stop.signal }), { code: 'TIMEOUT' })
  const closed = assert.rejects(scene.thread.ask('pause', again), { code: 'CLOSED' })
  const bad = assert.rejects(scene.thread.ask('exit', PATIENT), { code: 'THREAD_LOST' })
  await bad
  stop.abort()
  await given
  assert.equal(scene.thread.questions, 1)
  await scene.thread.close()
  await closed
})

test('a question that cannot be copied fails alone, and the bytes of an answer are transferred', async () => {
  await using scene = threadUnderTest()
  const wrong = assert.rejects(
    scene.thread.ask(() => 1, PATIENT),
    { code: 'QUESTION_NOT_COPIED' },
  )
  assert.deepEqual(await scene.thread.ask('bytes', PATIENT), { bytes: new Uint8Array(8) })
  await wrong
})

test('a program that only waits for the start of a thread goes on after it, and ends beside the idle thread', async () => {
  const source = `import(${JSON.stringify(new URL('./worker-thread.ts', import.meta.url))}).then(async (module) => {
    await module.createThread({ program: new URL(${JSON.stringify(PROGRAM)}), name: 'test' }).start()
    console.log('started')
  })`
  const { stdout } = await promisify(execFile)(process.execPath, ['--eval', source], { timeout: 60_000 })
  assert.equal(stdout, 'started\n')
})

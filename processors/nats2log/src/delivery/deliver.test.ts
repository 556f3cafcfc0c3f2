import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Attempt, allFailed, DELIVERED, type SinkRecord, type Writer } from '../targets/writer.ts'
import { delivery, failing, LARGE, record, scripted, slow, text, upTo } from './delivery-under-test.ts'

const all = (code: string) => ({ '*': code })

test('records arrive in order and in batches', async () => {
  const { writer, batches } = scripted([], { records: 3, bytes: 100 })
  const { run, totals } = delivery({ writer })
  await run(['a', 'b', 'c', 'd', 'x'.repeat(200)])
  assert.deepEqual(batches, [['a', 'b', 'c'], ['d'], ['x'.repeat(200)]])
  assert.deepEqual(totals(), { delivered: 5, failed: {}, repeats: 0 })
})

test('a target in order gets failed records until they succeed, without the delivered records', async () => {
  const attempts = [{ b: 'ENOSPC', c: 'ENOSPC' }, ...Array.from({ length: 40 }, () => all('ENOSPC'))]
  const { writer, batches } = scripted(attempts)
  const { run, totals, lines, waits } = delivery({ writer: { ...writer, inOrder: true } })
  await run(['a', 'b', 'c'])
  assert.equal(batches.length, 42)
  assert.deepEqual(batches.at(-1), ['b', 'c'])
  assert.deepEqual(lines[0], {
    level: 'WARN',
    message: 'records wait for the target',
    fields: { count: 2, code: 'ENOSPC' },
  })
  assert.equal(lines.length, 1)
  assert.deepEqual(totals(), { delivered: 3, failed: {}, repeats: 0 })
  assert.deepEqual(waits.slice(0, 10), [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000])
})

test('a target in order gets later records although one fails alone, which is tried alone later', async () => {
  const { writer, batches } = scripted([], LARGE)
  const write: Writer['write'] = async (records) => {
    await writer.write(records)
    const failed = records.filter((one) => text(one) === 'bad')
    return { failed: failed.map((record) => ({ record, code: 'EPIPE', again: true, alone: true })) }
  }
  const { run, delivered, postponed, refused } = delivery({
    writer: { ...writer, write, inOrder: true },
    patience: { failures: 2, ms: 0 },
  })
  const bad = record('bad')
  await run(['a', bad, 'b'])
  assert.deepEqual([delivered, postponed, refused], [['a', 'b'], ['bad 250'], []])
  await run([bad, 'c'])
  assert.deepEqual(batches, [['a', 'bad', 'b'], ['c'], ['bad']])
  assert.deepEqual([delivered, refused], [['a', 'b', 'c'], ['bad EPIPE']])
})

test('a record whose write throws, and a record that the target refuses, do not affect the rest of the batch', async () => {
  const { writer, batches } = scripted([{ b: 'HTTP_429', c: 'HTTP_400!', d: 'HTTP_503' }, { d: 'HTTP_400!' }])
  const { run, refused, totals } = delivery({ writer })
  await run(['a', 'b', 'c', 'd'])
  assert.deepEqual(batches, [
    ['a', 'b', 'c', 'd'],
    ['b', 'd'],
  ])
  assert.deepEqual(refused, ['c HTTP_400', 'd HTTP_400'])
  assert.deepEqual(totals(), { delivered: 2, failed: {}, repeats: 0 })
  const write: Writer['write'] = async (records) => {
    if (records.some((record) => text(record) === 'bad')) throw new RangeError('planted-secret')
    return DELIVERED
  }
  const other = delivery({ writer: { ...writer, write } })
  await other.run(['a', 'bad', 'b'])
  assert.deepEqual([other.refused, other.delivered], [['bad UNWRITABLE'], ['a', 'b']])
})

test('a batch that fails again is halved until the record at fault is alone, and the others are delivered', async () => {
  const { writer, batches } = failing((texts) => texts.includes('bad'))
  const { run, delivered, postponed, waits } = delivery({ writer })
  await run(['a', 'b', 'c', 'd', 'e', 'bad', 'g', 'h'])
  // The single record shows that the target takes others.
  assert.deepEqual(
    batches.map((batch) => batch.length),
    [8, 8, 1, 4, 3, 2, 1, 1, 1],
  )
  assert.deepEqual(delivered.toSorted(), ['a', 'b', 'c', 'd', 'e', 'g', 'h'])
  assert.deepEqual(postponed, ['bad 250'])
  assert.deepEqual(waits, [250, 500, 250, 250, 250])
})

test('records that fail by themselves are tried once more together, and then set aside', async () => {
  const { writer, batches } = scripted([], LARGE)
  const bad = upTo(8).map((n) => `bad ${n}`)
  const write: Writer['write'] = async (records) => {
    await writer.write(records)
    const failed = records.filter((one) => bad.includes(text(one)))
    return { ...allFailed(failed, { code: 'HTTP_429', again: true }), apart: true }
  }
  const { run, delivered, postponed, waits } = delivery({ writer: { ...writer, write } })
  await run([...upTo(492).map(String), ...bad])
  assert.deepEqual(
    batches.map((batch) => batch.length),
    [500, 8],
  )
  assert.deepEqual([delivered.length, postponed.length, waits], [492, 8, [250, 250]])
})

test('while others of a batch are delivered, the search for many records at fault makes no long wait', async () => {
  const { writer } = failing((texts) => texts.some((one) => Number(one) % 8 === 3), LARGE)
  const clock = { nowMs: 0 }
  const { run, delivered, postponed, waits } = delivery({ writer, clock })
  await run(upTo(500).map(String))
  // Of 500 records, 63 are at fault.
  assert.ok(postponed.length >= 63, String(postponed.length))
  assert.equal(delivered.length + postponed.length, 500)
  assert.deepEqual([...new Set(waits)], [250, 500])
  assert.ok(clock.nowMs < 90_000, String(clock.nowMs))
})

test('when all records of a batch fail, the next batch comes after a few tries', async () => {
  const { writer, batches } = failing(() => true, LARGE)
  const { run, postponed, waits } = delivery({ writer })
  const records = upTo(64).map((n) => record(String(n)))
  await run(records)
  assert.deepEqual(
    batches.map((batch) => batch.length),
    [64, 64, 1, 1, 1, 1],
  )
  assert.deepEqual([postponed.length, waits], [64, [250, 500, 1_000, 2_000, 4_000, 8_000]])
})

test('a batch whose failures are slow is halved for a minute, and its rest is tried one by one later', async () => {
  const { writer, batches, clock } = slow((texts) => texts.includes('7'))
  const { run, delivered, postponed, refused } = delivery({ writer, clock, patience: { failures: 2, ms: 0 } })
  const records = upTo(100).map((n) => record(String(n)))
  await run(records)
  assert.deepEqual(
    batches.map((batch) => batch.length),
    [100, 100, 1, 50, 49],
  )
  assert.deepEqual([delivered.length, postponed.length, postponed[0]], [50, 50, '1 1000'])
  await run(records.slice(1, 51))
  assert.deepEqual([delivered.length, postponed.at(-1)], [56, '50 5000'])
  clock.nowMs += 270_000
  await run(records.slice(7, 51))
  // The failures beside others don't count.
  assert.deepEqual([delivered.length, refused], [99, ['7 HTTP_503']])
  assert.equal(batches.filter((batch) => batch.join() === '7').length, 2)
})

test('a record that fails alone is given up after failures between which others were delivered', async () => {
  const { writer } = failing((texts) => texts.includes('bad'))
  const { run, refused, postponed, delivered } = delivery({ writer, patience: { failures: 3, ms: 0 } })
  const bad = record('bad')
  await run(['a', bad])
  // Nothing else is delivered between these tries, so the target may be away.
  for (let n = 0; n < 5; n++) await run([bad])
  assert.deepEqual(refused, [])
  await run(['b', bad])
  await run(['c', bad])
  assert.deepEqual([refused, delivered], [['bad HTTP_503'], ['a', 'b', 'c']])
  assert.equal(postponed.length, 7)
})

test('while a target takes no record none is given up, and a record alone does not keep others from the target', async () => {
  const { writer, batches } = scripted(Array.from({ length: 200 }, () => all('HTTP_503')))
  const { run, refused, postponed } = delivery({ writer, patience: { failures: 1, ms: 0 } })
  const known = ['a', 'b', 'c', 'd'].map(record)
  for (let n = 0; n < 10; n++) await run([...known, `new ${n}`])
  assert.ok(batches.length > 20, String(batches.length))
  assert.deepEqual([refused, postponed.length], [[], 50])
})

test('a refused record that cannot be kept is tried again later', async () => {
  const { writer } = scripted([all('HTTP_400!')])
  const { run, refused, delivered, postponed } = delivery({ writer, refuse: async () => false })
  await run(['a'])
  assert.deepEqual([refused, delivered, postponed], [[], [], ['a 250']])
})

test('a bus that takes no dead letters is asked once for all refused records of a try, after the others are delivered', async () => {
  const { writer } = scripted([{ a: 'HTTP_400!', b: 'HTTP_400!', c: 'HTTP_400!' }])
  const asked: string[] = []
  const refuse = async (one: SinkRecord) => {
    asked.push(`${text(one)} after ${delivered.length}`)
    return false
  }
  const { run, delivered } = delivery({ writer, refuse })
  await run(['a', 'b', 'c', 'd', 'e'])
  assert.deepEqual([asked, delivered], [['a after 2'], ['d', 'e', 'a', 'b', 'c']])
})

test('a target in order gets later records although the bus takes no dead letter of a refused one', async () => {
  const { writer } = scripted([], LARGE)
  const write: Writer['write'] = async (records) => {
    await writer.write(records)
    const failed = records.filter((one) => text(one) === 'bad')
    return allFailed(failed, { code: 'HTTP_413', again: false })
  }
  const { run, delivered, postponed } = delivery({
    writer: { ...writer, batch: { records: 2, bytes: 1_000 }, write, inOrder: true },
    refuse: async () => false,
  })
  await run(['a', 'bad', 'b', 'c'])
  assert.deepEqual([delivered, postponed], [['a', 'b', 'c'], ['bad 250']])
})

test('Retry-After of a target is followed, at most for a minute', async () => {
  const asked = [5_000, 3_600_000, 0]
  const { writer } = scripted(asked.map(() => all('HTTP_429')))
  const { run, waits } = delivery({
    writer: {
      ...writer,
      inOrder: true,
      write: async (records) => ({ ...(await writer.write(records)), retryAfterMs: asked[waits.length] ?? 0 }),
    },
  })
  await run(['a'])
  assert.deepEqual(waits, [5_000, 60_000, 1_000])
})

test('an aborted delivery does not report the remaining records', async () => {
  const stop = new AbortController()
  const { writer } = scripted(
    Array.from({ length: 9 }, () => all('EIO')),
    { records: 1, bytes: 0 },
  )
  const { run, delivered, refused, totals } = delivery({
    writer,
    signal: stop.signal,
    wait: async () => {
      stop.abort()
      return false
    },
  })
  await run(['a', 'b'])
  assert.deepEqual([delivered, refused, totals()], [[], [], { delivered: 0, failed: {}, repeats: 0 }])
})

test('a writer never gets more parallel tries than its concurrency', async () => {
  let running = 0
  let most = 0
  const write = async (): Promise<Attempt> => {
    running += 1
    most = Math.max(most, running)
    await new Promise(setImmediate)
    running -= 1
    return DELIVERED
  }
  const writer = { ...scripted([], { records: 1, bytes: 0 }).writer, concurrency: 3, write }
  const { run, totals } = delivery({ writer })
  await run(Array.from({ length: 50 }, () => 'x'))
  assert.equal(most, 3)
  assert.deepEqual(totals(), { delivered: 50, failed: {}, repeats: 0 })
})

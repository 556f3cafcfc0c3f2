import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allFailed, type SinkRecord, type Writer } from '../targets/writer.ts'
import { delivery, failing, LARGE, record, scripted, slow, text, upTo } from './delivery-under-test.ts'

// Rules: docs/reference/kept-records.md#records-that-fail-alone

test('records whose tries fail slowly leave their time to other records', async () => {
  const { writer, batches, clock } = slow((texts) => texts.some((one) => one.startsWith('bad')))
  const { run, postponed, delivered } = delivery({ writer, clock })
  const bad = ['bad1', 'bad2', 'bad3'].map(record)
  for (const one of bad) await run([`beside ${text(one)}`, one])
  const tried = batches.length
  for (const one of ['a', 'b', 'c', 'd', 'e']) await run([one, ...bad])
  // After its first try alone a record rests with the others.
  assert.deepEqual(batches.slice(tried), [['a'], ['bad1'], ['b'], ['bad1'], ['c'], ['bad2'], ['d'], ['bad3'], ['e']])
  assert.deepEqual(postponed.slice(-3).toSorted(), ['bad1 210000', 'bad2 210000', 'bad3 210000'])
  clock.nowMs += 270_000
  await run(['f', ...bad])
  // A record that was tried less often comes first.
  assert.deepEqual(batches.slice(tried + 9), [['f'], ['bad2']])
  assert.equal(delivered.length, 9)
})

test('a good record that failed twice does not wait behind new ones that fail slowly', async () => {
  let isGood = false
  const isBad = (one: string) => one.startsWith('bad') || (one === 'good' && !isGood)
  const { writer, batches, clock } = slow((texts) => texts.some(isBad))
  const { run } = delivery({ writer, clock })
  const good = record('good')
  for (const one of ['a', 'b']) await run([one, good])
  isGood = true
  const bad = upTo(10).map((n) => record(`bad ${n}`))
  for (const [n, one] of bad.entries()) await run([`beside ${n}`, one])
  const tried = batches.length
  await run(['c', ...bad, good])
  assert.deepEqual(batches.slice(tried, tried + 2), [['c'], ['good']])
})

test('a good record that failed once does not wait behind new ones that fail slowly', async () => {
  let isGood = false
  const { writer, batches, clock } = slow((texts) =>
    texts.some((one) => one.startsWith('bad') || (one === 'good' && !isGood)),
  )
  const { run, delivered } = delivery({ writer, clock })
  const good = record('good')
  const bad = upTo(10).map((n) => record(`bad ${n}`))
  await run(['a', good])
  isGood = true
  // The new ones are at hand first.
  for (const [n, one] of bad.entries()) await run([`beside ${n}`, one])
  const tried = batches.length
  await run(['b', ...bad, good])
  assert.deepEqual(batches.slice(tried, tried + 2), [['b'], ['good']])
  assert.ok(delivered.includes('good'))
})

test('while half of the records that the bus gives out failed alone, those that failed most are given up', async () => {
  const { writer } = scripted([], LARGE)
  const write: Writer['write'] = async (records) => {
    const failed = records.filter((one) => text(one).startsWith('bad'))
    return { ...allFailed(failed, { code: 'HTTP_429', again: true }), apart: true, retryAfterMs: 1_000 }
  }
  const { run, refused, delivered, clock } = delivery({ writer: { ...writer, write } })
  const bad = upTo(10_020).map((n) => ({ ...record(`bad ${n}`), sequence: n, storedMs: 0 }))
  const beside = async (part: readonly SinkRecord[]) => run([`beside ${delivered.length}`, ...part])
  await beside(bad.slice(5_000, 5_003))
  for (const part of partsOf(bad, 300)) await beside(part)
  assert.deepEqual(refused, [])
  clock.nowMs += 1_000
  await beside(bad.slice(4_990, 5_100))
  // The records 5,000 to 5,002 failed more often than the others.
  const most = upTo(3).map((n) => 5_000 + n)
  const others = upTo(17).map((n) => (n < 10 ? 4_990 + n : 4_993 + n))
  assert.deepEqual(
    refused,
    [...most, ...others].map((n) => `bad ${n} HTTP_429`),
  )
  // Half of those that the bus gives out are left.
  await beside(bad.slice(0, 100))
  assert.equal(refused.length, 20)
})

test('no record is given up for the number of suspects while other replicas of the sink have delivered most of them', async () => {
  const { writer } = scripted([], LARGE)
  const write: Writer['write'] = async (records) => {
    const failed = records.filter((one) => text(one).startsWith('bad'))
    return { ...allFailed(failed, { code: 'HTTP_429', again: true }), apart: true }
  }
  const { run, refused } = delivery({ writer: { ...writer, write }, unacknowledged: () => 9_000 })
  const bad = upTo(10_100).map((n) => ({ ...record(`bad ${n}`), sequence: n, storedMs: 0 }))
  for (const [n, part] of partsOf(bad, 300).entries()) await run([`beside ${n}`, ...part])
  await run(['last', ...bad.slice(0, 100)])
  assert.deepEqual(refused, [])
})

test('records that failed alone are tried for five seconds at most before the next batch', async () => {
  const away = { isAway: true }
  const { writer, batches, clock } = slow(() => away.isAway, { failedMs: 0, deliveredMs: 1_000 })
  const { run, postponed } = delivery({ writer: { ...writer, batch: { records: 1, bytes: 0 } }, clock })
  const records = upTo(20).map((n) => record(String(n)))
  await run(records)
  away.isAway = false
  const tried = batches.length
  await run(records)
  assert.equal(batches.length - tried, 5)
  assert.deepEqual(
    postponed.slice(-15),
    records.slice(5).map((one) => `${text(one)} 5000`),
  )
})

test('a record that failed alone is tried alone again, and holds up no other record', async () => {
  const { writer, batches } = failing((texts) => texts.includes('bad'))
  const { run, waits } = delivery({ writer })
  const bad = record('bad')
  await run(['a', bad])
  const [tried, waited] = [batches.length, waits.length]
  await run([bad, 'b', 'c'])
  assert.deepEqual(batches.slice(tried), [['b', 'c'], ['bad']])
  assert.equal(waits.length, waited)
})

test('of records that failed alone, a target that takes no other record gets one, and the others are postponed', async () => {
  const { writer, batches } = failing((texts) => texts.some((one) => one.startsWith('bad')))
  const { run, postponed, waits } = delivery({ writer })
  const bad = ['bad1', 'bad2', 'bad3'].map(record)
  await run(['a', ...bad])
  const [tried, before, waited] = [batches.length, postponed.length, waits.length]
  await run(bad)
  assert.deepEqual(batches.slice(tried), [['bad3']])
  assert.deepEqual(postponed.slice(before), ['bad3 3000', 'bad1 4000', 'bad2 4000'])
  assert.deepEqual(waits.slice(waited), [1_000])
})

test('after a record that is tried alone, Retry-After is followed: the others like it come later', async () => {
  const { writer, batches } = failing((texts) => texts.some((one) => one.startsWith('bad')))
  const asking = async (records: readonly SinkRecord[]) => ({ ...(await writer.write(records)), retryAfterMs: 30_000 })
  const clock = { nowMs: 0 }
  const { run, postponed, waits } = delivery({ writer: { ...writer, write: asking }, clock })
  const bad = ['bad1', 'bad2', 'bad3'].map(record)
  for (const one of bad) await run([`beside ${text(one)}`, one])
  const [tried, before, waited] = [batches.length, postponed.length, waits.length]
  await run(['a', ...bad])
  await run(['b', ...bad])
  // After its first try alone a record rests with the others.
  assert.deepEqual(batches.slice(tried), [['a'], ['bad1'], ['bad2'], ['bad3'], ['b'], ['bad1']])
  const pauses = [1, 2, 3, 1, 2, 3].map((n) => `bad${n} 30000`)
  assert.deepEqual([postponed.slice(before), waits.slice(waited)], [pauses, []])
  clock.nowMs += 30_000
  // Nothing shows that the target takes others.
  await run(bad)
  assert.deepEqual([batches.slice(tried + 6), waits.slice(waited)], [[['bad2']], [30_000]])
})

test('of a target in order, a failure after which no other record arrives does not count, although one arrived before it', async () => {
  const { writer } = scripted([], LARGE)
  let isAway = false
  const write: Writer['write'] = async (records) => {
    await writer.write(records)
    const failed = records.filter((one) => isAway || text(one) === 'bad')
    isAway = true
    return { failed: failed.map((record) => ({ record, code: 'EPIPE', again: true, alone: true })) }
  }
  const { run, delivered, refused, postponed } = delivery({
    writer: { ...writer, batch: { records: 1, bytes: 1_000 }, write, inOrder: true },
    patience: { failures: 1, ms: 0 },
  })
  await run(['a', 'bad', 'c'])
  assert.deepEqual([delivered, refused, postponed], [['a'], [], ['bad 250', 'c 1000']])
})

function partsOf<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  return upTo(Math.ceil(items.length / size)).map((n) => items.slice(n * size, (n + 1) * size))
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { bytes, openedBucket, PATIENT, type Report, watched } from './key-value-under-test.ts'

const isReport = (expected: Report) => (report: Report) => report[0] === expected[0] && report[1] === expected[1]

test('a watch reports the existing entries, then every change', async () => {
  await using server = await startNatsServer({ jetstream: true })
  await using one = await openedBucket(server)
  await using other = await openedBucket(server)
  await one.keyValue.put('a', bytes('1'))
  await one.keyValue.put('gone', bytes('1'))
  await one.keyValue.put('b', bytes('1'))
  await one.keyValue.delete('gone')
  const { reports, watch } = watched(other.keyValue)
  await watch.ready
  assert.deepEqual(reports.entries, [
    ['a', '1'],
    ['b', '1'],
  ])
  await one.keyValue.put('a', bytes('2'))
  await one.keyValue.delete('b')
  assert.deepEqual((await reports.waitForCount(4)).slice(2), [
    ['a', '2'],
    ['b', undefined],
  ])
  await watch.close()
  await one.keyValue.put('a', bytes('3'))
  await other.keyValue.get('a')
  assert.equal(reports.total, 4)
})

test('a watch of an empty bucket is ready at once, and a watch of a thousand keys reports each once', async () => {
  await using server = await startNatsServer({ jetstream: true })
  await using one = await openedBucket(server)
  await using other = await openedBucket(server)
  const early = watched(one.keyValue)
  await early.watch.ready
  assert.equal(early.reports.total, 0)
  const keys = Array.from({ length: 1_000 }, (_, index) => `key ${index}`)
  await Promise.all(keys.map((key) => one.keyValue.put(key, bytes(key))))
  const late = watched(other.keyValue)
  await late.watch.ready
  assert.deepEqual(new Set(late.reports.entries.map(([key]) => key)), new Set(keys))
  assert.equal(late.reports.total, 1_000)
  await early.reports.waitForCount(1_000)
})

test('after a restart of the bus a watch reports all entries again, and the entries that ended meanwhile as gone', async () => {
  await using server = await startNatsServer({ jetstream: true })
  await using one = await openedBucket(server)
  await one.keyValue.put('a', bytes('1'))
  await one.keyValue.put('b', bytes('1'))
  const { reports, watch } = watched(one.keyValue)
  await watch.ready
  await server.kill('SIGKILL')
  reports.clear()
  await server.restart()
  await reports.waitForCount(2)
  assert.deepEqual(reports.entries, [
    ['a', '1'],
    ['b', '1'],
  ])
  await using other = await openedBucket(server)
  await other.keyValue.put('c', bytes('1'))
  await reports.waitFor(isReport(['c', '1']))
  // A deletion of the stream isn't reported to any watch.
  await other.connection.request('$JS.API.STREAM.DELETE.KV_llm_test', undefined, PATIENT)
  await other.keyValue.put('d', bytes('1'))
  await reports.waitFor(isReport(['d', '1']))
  await reports.waitFor(isReport(['a', undefined]))
  await reports.waitFor(isReport(['b', undefined]))
  await reports.waitFor(isReport(['c', undefined]))
})

test('the watch of a bucket lost in a restart reports all keys as gone and follows the new bucket', async () => {
  await using server = await startNatsServer({ jetstream: true })
  await using one = await openedBucket(server, { storage: 'memory' })
  await one.keyValue.put('a', bytes('1'))
  const { reports, watch } = watched(one.keyValue)
  await watch.ready
  await server.restart()
  await reports.waitFor(isReport(['a', undefined]))
  await one.keyValue.put('b', bytes('1'))
  await reports.waitFor(isReport(['b', '1']))
})

test('a watch that began without a store starts when there is one', async () => {
  await using server = await startNatsServer()
  await using one = await openedBucket(server)
  const { reports, watch } = watched(one.keyValue)
  await one.logged('key-value store not available')
  const { port, token } = server
  await server.stop()
  await using later = await startNatsServer({ port, token, jetstream: true })
  await watch.ready
  await using other = await openedBucket(later)
  await other.keyValue.put('a', bytes('1'))
  await reports.waitFor(isReport(['a', '1']))
})

test('a watch whose consumer was deleted makes another', async () => {
  await using server = await startNatsServer({ jetstream: true })
  await using one = await openedBucket(server)
  await one.keyValue.put('a', bytes('1'))
  const { reports, watch } = watched(one.keyValue)
  await watch.ready
  const names = await one.connection.request('$JS.API.CONSUMER.NAMES.KV_llm_test', undefined, PATIENT)
  const { consumers } = names.json<{ readonly consumers: readonly string[] }>()
  assert.equal(consumers.length, 1)
  reports.clear()
  await one.connection.request(`$JS.API.CONSUMER.DELETE.KV_llm_test.${consumers[0]}`, undefined, PATIENT)
  await reports.waitFor(isReport(['a', '1']))
})

test('an expired entry is reported as gone', async () => {
  await using server = await startNatsServer({ jetstream: true })
  await using one = await openedBucket(server, { ttlMs: 2_000 })
  const { reports, watch } = watched(one.keyValue)
  await watch.ready
  await one.keyValue.put('a', bytes('1'))
  await reports.waitFor(isReport(['a', undefined]))
})

test('an exception of a watcher is logged and does not affect the others', async () => {
  await using server = await startNatsServer({ jetstream: true })
  await using one = await openedBucket(server)
  const { reports } = watched(one.keyValue)
  one.keyValue.watch(() => {
    throw new RangeError('not for the log')
  })
  await one.keyValue.put('a', bytes('1'))
  await reports.waitFor(isReport(['a', '1']))
  assert.deepEqual((await one.logged('change of a key could not be processed')).fields, {
    bucket: 'llm_test',
    name: 'RangeError',
  })
})

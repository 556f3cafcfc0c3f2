import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { bytes, openedBucket, PATIENT, type Told, watched } from './key-value-under-test.ts'

const isTold = (expected: Told) => (told: Told) => told[0] === expected[0] && told[1] === expected[1]

test('a watch reports the existing entries, then every change', async () => {
  await using server = await startNatsServer({ jetstream: true })
  await using one = await openedBucket(server)
  await using other = await openedBucket(server)
  await one.keyValue.put('a', bytes('1'))
  await one.keyValue.put('gone', bytes('1'))
  await one.keyValue.put('b', bytes('1'))
  await one.keyValue.delete('gone')
  const { told, watch } = watched(other.keyValue)
  await watch.ready
  assert.deepEqual(told.entries, [
    ['a', '1'],
    ['b', '1'],
  ])
  await one.keyValue.put('a', bytes('2'))
  await one.keyValue.delete('b')
  assert.deepEqual((await told.waitForCount(4)).slice(2), [
    ['a', '2'],
    ['b', undefined],
  ])
  await watch.close()
  await one.keyValue.put('a', bytes('3'))
  await other.keyValue.get('a')
  assert.equal(told.total, 4)
})

test('a watch of an empty bucket is ready at once, and one of a thousand keys reports each once', async () => {
  await using server = await startNatsServer({ jetstream: true })
  await using one = await openedBucket(server)
  await using other = await openedBucket(server)
  const early = watched(one.keyValue)
  await early.watch.ready
  assert.equal(early.told.total, 0)
  const keys = Array.from({ length: 1_000 }, (_, index) => `key ${index}`)
  await Promise.all(keys.map((key) => one.keyValue.put(key, bytes(key))))
  const late = watched(other.keyValue)
  await late.watch.ready
  assert.deepEqual(new Set(late.told.entries.map(([key]) => key)), new Set(keys))
  assert.equal(late.told.total, 1_000)
  await early.told.waitForCount(1_000)
})

test('after a restart of the bus a watch reports all entries again, and the entries that ended meanwhile as gone', async () => {
  await using server = await startNatsServer({ jetstream: true })
  await using one = await openedBucket(server)
  await one.keyValue.put('a', bytes('1'))
  await one.keyValue.put('b', bytes('1'))
  const { told, watch } = watched(one.keyValue)
  await watch.ready
  await server.kill('SIGKILL')
  told.clear()
  await server.restart()
  await told.waitForCount(2)
  assert.deepEqual(told.entries, [
    ['a', '1'],
    ['b', '1'],
  ])
  await using other = await openedBucket(server)
  await other.keyValue.put('c', bytes('1'))
  await told.waitFor(isTold(['c', '1']))
  // A deletion of the stream isn't reported to any watch.
  await other.connection.request('$JS.API.STREAM.DELETE.KV_llm_test', undefined, PATIENT)
  await other.keyValue.put('d', bytes('1'))
  await told.waitFor(isTold(['d', '1']))
  await told.waitFor(isTold(['a', undefined]))
  await told.waitFor(isTold(['b', undefined]))
  await told.waitFor(isTold(['c', undefined]))
})

test('the watch of a bucket lost in a restart reports all keys as gone and goes on', async () => {
  await using server = await startNatsServer({ jetstream: true })
  await using one = await openedBucket(server, { storage: 'memory' })
  await one.keyValue.put('a', bytes('1'))
  const { told, watch } = watched(one.keyValue)
  await watch.ready
  await server.restart()
  await told.waitFor(isTold(['a', undefined]))
  await one.keyValue.put('b', bytes('1'))
  await told.waitFor(isTold(['b', '1']))
})

test('a watch that began without a store starts when there is one', async () => {
  await using server = await startNatsServer()
  await using one = await openedBucket(server)
  const { told, watch } = watched(one.keyValue)
  await one.said('key-value store not available')
  const { port, token } = server
  await server.stop()
  await using later = await startNatsServer({ port, token, jetstream: true })
  await watch.ready
  await using other = await openedBucket(later)
  await other.keyValue.put('a', bytes('1'))
  await told.waitFor(isTold(['a', '1']))
})

test('a watch whose consumer was deleted makes another', async () => {
  await using server = await startNatsServer({ jetstream: true })
  await using one = await openedBucket(server)
  await one.keyValue.put('a', bytes('1'))
  const { told, watch } = watched(one.keyValue)
  await watch.ready
  const names = await one.connection.request('$JS.API.CONSUMER.NAMES.KV_llm_test', undefined, PATIENT)
  const { consumers } = names.json<{ readonly consumers: readonly string[] }>()
  assert.equal(consumers.length, 1)
  told.clear()
  await one.connection.request(`$JS.API.CONSUMER.DELETE.KV_llm_test.${consumers[0]}`, undefined, PATIENT)
  await told.waitFor(isTold(['a', '1']))
})

test('an expired entry is reported as gone', async () => {
  await using server = await startNatsServer({ jetstream: true })
  await using one = await openedBucket(server, { ttlMs: 2_000 })
  const { told, watch } = watched(one.keyValue)
  await watch.ready
  await one.keyValue.put('a', bytes('1'))
  await told.waitFor(isTold(['a', undefined]))
})

test('an exception of a watcher is logged and does not affect the others', async () => {
  await using server = await startNatsServer({ jetstream: true })
  await using one = await openedBucket(server)
  const { told } = watched(one.keyValue)
  one.keyValue.watch(() => {
    throw new RangeError('not for the log')
  })
  await one.keyValue.put('a', bytes('1'))
  await told.waitFor(isTold(['a', '1']))
  assert.deepEqual((await one.said('key-value change not taken')).fields, { bucket: 'llm_test', name: 'RangeError' })
})

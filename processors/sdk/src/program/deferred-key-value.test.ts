import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { KeyValue, KeyValueEntry } from '../key-value/key-value.ts'
import { DeferredKeyValues, unavailableKeyValue } from './deferred-key-value.ts'

const OPTIONS = { bucket: 'llm_test', maxBytes: 1_000, storage: 'memory' } as const
const entry: KeyValueEntry = { value: new Uint8Array([1]), revision: 1 }

/** Makes a store with one entry, which every watch gets. */
function storeUnderTest() {
  const closed: string[] = []
  const store: KeyValue = {
    ...unavailableKeyValue,
    get: async () => ({ kind: 'found', entry }),
    watch: (changed) => {
      changed('key', entry)
      return { ready: Promise.resolve(), close: async () => void closed.push('watch') }
    },
  }
  return { bus: { keyValue: () => store }, store, closed }
}

test('a bucket opened before the connection is unavailable until the connection is there', async () => {
  const { bus, store } = storeUnderTest()
  const late = new DeferredKeyValues()
  const keyValue = late.open(OPTIONS)
  assert.deepEqual(await keyValue.get('key'), { kind: 'failed', error: 'unavailable' })
  assert.deepEqual(await keyValue.put('key', entry.value), { kind: 'failed', error: 'unavailable' })
  late.connected(bus)
  assert.deepEqual(await keyValue.get('key'), { kind: 'found', entry })
  assert.equal(late.open(OPTIONS), store)
})

test('a watch opened before the connection reports all entries once connected', async () => {
  const { bus, closed } = storeUnderTest()
  const late = new DeferredKeyValues()
  const keyValue = late.open(OPTIONS)
  const reports: string[] = []
  const watch = keyValue.watch((key) => void reports.push(key))
  const closedEarly = keyValue.watch((key) => void reports.push(`closed early: ${key}`))
  await closedEarly.close()
  assert.equal(reports.length, 0)
  late.connected(bus)
  await watch.ready
  assert.deepEqual(reports, ['key'])
  await watch.close()
  assert.deepEqual(closed, ['watch'])
  keyValue.watch((key) => void reports.push(`later: ${key}`))
  assert.deepEqual(reports, ['key', 'later: key'])
})

test('a watch that is closed before the connection is ready, so that nobody waits for it for ever', async () => {
  const watch = new DeferredKeyValues().open(OPTIONS).watch(() => undefined)
  await watch.close()
  assert.equal(await Promise.race([watch.ready.then(() => 'ready'), setImmediate('pending')]), 'ready')
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LIMITS } from './mock-under-test.ts'
import { Recordings } from './recordings.ts'

const recording = (length: number, byte = 1): Uint8Array => new Uint8Array(length).fill(byte)

test('the least recently recorded answer is evicted when there are too many', () => {
  const recordings = new Recordings({ ...LIMITS, recordings: 2 })
  assert.deepEqual(recordings.set('/a/', recording(1)), [])
  assert.deepEqual(recordings.set('/b/', recording(1)), [])
  assert.deepEqual(recordings.set('/a/', recording(2)), [])
  assert.deepEqual(recordings.set('/c/', recording(1)), ['/b/'])
  assert.deepEqual(
    ['/a/', '/b/', '/c/'].map((router) => recordings.get(router)?.length),
    [2, undefined, 1],
  )
})

test('the least recently recorded answers are evicted until the rest fits', () => {
  const recordings = new Recordings({ ...LIMITS, totalBytes: 10 })
  for (const router of ['/a/', '/b/', '/c/']) recordings.set(router, recording(3))
  assert.deepEqual([recordings.count, recordings.bytes], [3, 9])
  assert.deepEqual(recordings.set('/d/', recording(7)), ['/a/', '/b/'])
  assert.deepEqual([recordings.count, recordings.bytes], [2, 10])
  recordings.delete('/c/')
  recordings.delete('/never/')
  assert.deepEqual([recordings.count, recordings.bytes], [1, 7])
})

test('a recording has a size limit, and so has the sum of all', () => {
  assert.equal(new Recordings({ ...LIMITS, recordingBytes: 10 }).fits(10), true)
  assert.equal(new Recordings({ ...LIMITS, recordingBytes: 10 }).fits(11), false)
  assert.equal(new Recordings({ ...LIMITS, totalBytes: 10 }).fits(11), false)
})

test('the byte count equals the size of the kept recordings after any sequence of writes', () => {
  const recordings = new Recordings({ recordings: 5, recordingBytes: 50, totalBytes: 100 })
  const kept = new Map<string, number>()
  for (let step = 0; step < 2_000; step += 1) {
    const router = `/${(step * 7) % 11}/`
    const length = (step * 13) % 50
    kept.delete(router)
    if (step % 5 === 0) recordings.delete(router)
    else {
      kept.set(router, length)
      for (const left of recordings.set(router, recording(length))) kept.delete(left)
    }
    const bytes = [...kept.values()].reduce((sum, one) => sum + one, 0)
    assert.deepEqual([recordings.count, recordings.bytes], [kept.size, bytes])
    assert.ok(recordings.count <= 5 && recordings.bytes <= 100)
  }
})

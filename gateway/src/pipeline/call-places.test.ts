import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RouterShare } from '../memory/memory-account.ts'
import { CallPlaces } from './call-places.ts'

// Rules: docs/reference/bus.md#limits

/** Takes places until a router gets no more; returns their number. */
function takeAll(places: CallPlaces, router: RouterShare): number {
  let taken = 0
  while (places.take(router)) taken += 1
  return taken
}

test('a router takes half of the places, and each further router finds some', () => {
  const places = new CallPlaces(1_000)
  const routers = Array.from({ length: 8 }, () => new RouterShare('/llm/'))
  const taken = routers.map((router) => takeAll(places, router))
  assert.deepEqual(taken, [500, 250, 125, 63, 31, 16, 8, 4])
  assert.equal(places.take(new RouterShare('/llm/')), true)
})

test('a released place can be taken again', () => {
  const places = new CallPlaces(3)
  const router = new RouterShare('/llm/')
  assert.equal(takeAll(places, router), 2)
  places.release(router)
  assert.equal(takeAll(places, router), 1)
})

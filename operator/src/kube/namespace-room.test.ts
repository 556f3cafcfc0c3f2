import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Processor } from '@llm-gateway/crds'
import { snapshotOf } from '../translate/golden-input-under-test.ts'
import { configFault, MOST_KEPT_BYTES } from '../translate/processors/custom-config.ts'
import { buildEntry } from '../translate/routers/build-entry.ts'
import { MOST_KEPT_CHARACTERS } from '../translate/routers/no-room.ts'
import { decodeProcessor, decodeRouter } from './decode-resource.ts'
import { processorWithoutRoom, roomOfProcessor } from './lean-processor.ts'
import { roomOfRouter, routerWithoutRoom } from './lean-router.ts'
import { NamespaceRoom } from './namespace-room.ts'

// Rules: docs/reference/kubernetes.md#processors

function processorOf(namespace: string, name: string, characters: number): Processor {
  const config = { any: 'x'.repeat(characters) }
  const spec = { gatewayRef: { name: 'main' }, type: 'Custom', request: {}, custom: { image: 'i', config } }
  const processor = decodeProcessor({ metadata: { name, namespace, uid: name, generation: 1 }, spec })
  assert.ok(processor)
  return processor
}

const ofProcessors = { most: MOST_KEPT_BYTES, takenBy: roomOfProcessor, withoutRoom: processorWithoutRoom }

test('the configurations of a namespace have a bound in the caches, and others have theirs', () => {
  const room = new NamespaceRoom(ofProcessors)
  const large = 800 * 1024
  const most = Math.floor(MOST_KEPT_BYTES / large)
  const hog = Array.from({ length: 50 }, (_, index) => room.fit(processorOf('hog', `p${index}`, large)))
  const faults = hog.map(({ spec }) => configFault(spec.custom?.config))
  assert.deepEqual([faults.indexOf(undefined), faults.lastIndexOf(undefined)], [0, most - 1])
  assert.match(faults[most] ?? '', /16 MiB/)
  assert.ok(room.sumOf('hog') <= MOST_KEPT_BYTES)
  assert.equal(new Set(hog.slice(most).map(({ spec }) => spec.custom?.config)).size, 1, 'they share one stand-in')
  assert.equal(configFault(room.fit(processorOf('team', 'p', large)).spec.custom?.config), undefined)
})

test('a deleted or shortened object leaves its room to others, and one that is read again keeps its own', () => {
  const room = new NamespaceRoom({ ...ofProcessors, most: 1_000 })
  const isKept = (name: string, characters: number) =>
    configFault(room.fit(processorOf('n', name, characters)).spec.custom?.config) === undefined
  assert.deepEqual([isKept('a', 600), isKept('b', 600), isKept('a', 600)], [true, false, true])
  assert.deepEqual([isKept('a', 100), isKept('b', 600)], [true, true])
  room.release(processorOf('n', 'b', 0))
  assert.deepEqual([isKept('a', 800), isKept('b', 600)], [true, false])
})

test('the texts of Routers have such a bound, too: a Router beyond it keeps its path and nothing else', () => {
  const room = new NamespaceRoom({
    most: MOST_KEPT_CHARACTERS,
    takenBy: roomOfRouter,
    withoutRoom: routerWithoutRoom,
  })
  const routers = Array.from({ length: 2_900 }, (_, index) => {
    const headers = { 'X-Wide': Array.from({ length: 3 }, () => 'x'.repeat(4_000)) }
    const spec = {
      gatewayRef: { name: 'main' },
      path: `/r${index}/`,
      outbound: { url: 'https://res.example/', headers },
    }
    const metadata = { name: `r${index}`, namespace: 'llm', uid: `r${index}`, generation: 1 }
    const router = decodeRouter({ metadata, spec })
    assert.ok(router)
    return room.fit(router)
  })
  const built = [routers[0], routers.at(-1)].map((router) => router && buildEntry(router, snapshotOf({}), new Set()))
  assert.deepEqual(
    built.map((one) => [one?.tooLarge, one !== undefined && 'disabled' in one.entry]),
    [
      [undefined, false],
      ['room', true],
    ],
  )
  assert.ok(room.sumOf('llm') <= MOST_KEPT_CHARACTERS && room.sumOf('llm') > MOST_KEPT_CHARACTERS - 13_000)
})

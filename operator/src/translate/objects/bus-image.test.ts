import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { llmGatewaySchema } from '@llm-gateway/crds'
import { PROVEN_IMAGE, SERVER_VERSION } from '../../model/kube-object.ts'
import type { ObservedBus } from '../../model/snapshot.ts'
import { busImage, NATS_SERVER_VERSION } from './bus-image.ts'

const VERSION = { [SERVER_VERSION]: NATS_SERVER_VERSION }
const OTHER_VERSION = { [SERVER_VERSION]: '2.14.0' }
const PROVEN = { ...VERSION, [PROVEN_IMAGE]: 'gateway:1' }

function live(annotations: ObservedBus['annotations'], ready: boolean, image = 'gateway:1'): ObservedBus {
  return { image, ready, annotations }
}

type Case = readonly [title: string, named: string, live: ObservedBus | undefined, image: string, proven: boolean]

const CASES: readonly Case[] = [
  ['a new bus gets the image of the gateway', '', undefined, 'gateway:2', false],
  ['a running bus keeps its image', '', live(VERSION, true), 'gateway:1', true],
  ['a bus that once ran keeps its image while it is away', '', live(PROVEN, false), 'gateway:1', true],
  ['an image changed by hand is replaced by the image that ran', '', live(PROVEN, true, 'other:1'), 'gateway:1', true],
  ['an image that never ran is replaced', '', live(VERSION, false), 'gateway:2', false],
  [
    'another version of nats-server leads to a new image',
    '',
    live({ ...PROVEN, ...OTHER_VERSION }, true),
    'gateway:2',
    false,
  ],
  ['an image without a noted version is replaced', '', live({}, true), 'gateway:2', false],
  ['an image named in the resource has precedence', 'bus:1', live(PROVEN, true), 'bus:1', false],
  ['an image whose name left the resource is replaced', '', live({}, true, 'bus:1'), 'gateway:2', false],
]
for (const [title, image, bus, expected, proven] of CASES) {
  test(`the bus's image: ${title}`, () => {
    const metadata = {
      name: 'main',
      namespace: 'llm',
      uid: 'u',
      generation: 1,
      creationTimestamp: '2026-11-21T01:00:00Z',
    }
    const gateway = llmGatewaySchema.parse({ metadata, spec: { bus: { managed: { image } } } })
    const verdict = busImage(gateway, 'gateway:2', bus)
    assert.equal(verdict.image, expected)
    const mark = proven ? { [PROVEN_IMAGE]: expected } : {}
    assert.deepEqual(verdict.annotations, image === '' ? { ...VERSION, ...mark } : {})
  })
}

test('NATS_SERVER_VERSION is the version of the nats-server in the image', () => {
  const file = join(import.meta.dirname, '../../../../tools/versions.json')
  assert.equal(JSON.parse(readFileSync(file, 'utf8')).image['nats-server'].version, NATS_SERVER_VERSION)
})

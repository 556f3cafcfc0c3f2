import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configFault } from '../translate/processors/custom-config.ts'
import { decodeProcessor } from './decode-resource.ts'

// Rules: docs/reference/kubernetes.md#processor

const nested = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`)

function configOf(name: string, config: object): Readonly<Record<string, unknown>> | undefined {
  const spec = { gatewayRef: { name: 'main' }, type: 'Custom', request: {}, custom: { image: 'i', config } }
  const processor = decodeProcessor({ metadata: { name, namespace: 'llm', uid: name, generation: 1 }, spec })
  assert.deepEqual([processor?.unreadable, processor?.spec.custom?.image], [undefined, 'i'])
  return processor?.spec.custom?.config
}

const bad: readonly (readonly [string, object])[] = [
  ['too deep', { any: nested(101) }],
  ['of too many lists', { any: Array.from({ length: 20_001 }, () => []) }],
  ['too long', { any: 'x'.repeat(900 * 1024 + 1) }],
  ['too long in bytes', { any: 'ä'.repeat(500 * 1024) }],
]
for (const [what, config] of bad) {
  test(`configurations that are ${what} share one object, which is refused with the same message`, () => {
    const [one, other] = [configOf('a', config), configOf('b', { ...config, more: 1 })]
    assert.equal(one, other)
    assert.equal(configFault(one), configFault(config))
  })
}

test('a configuration that a program gets is kept', () => {
  const config = { any: [1, { b: 'c' }] }
  assert.deepEqual(configOf('a', config), config)
})

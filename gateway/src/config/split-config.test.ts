import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkGlConfig } from '@llm-gateway/conf'
import { splitConfig } from './split-config.ts'

/** A piece ends with the router, entry or path that exceeds its size. */
const MOST_CHARACTERS = 256 * 1024

test('no piece of a configuration is large, however many paths its entries name', () => {
  const paths = (prefix: string) => Array.from({ length: 6_000 }, (_, index) => `/${prefix}${'x'.repeat(900)}${index}/`)
  const entry = { name: 'a', service_bus_topic: 'a.b', timeout: 1, routers: paths('a'), reroute_to: paths('b') }
  const file = { request: { processors: [[entry]] }, response: { processors: [[{ ...entry, reroute_to: [] }]] } }
  const check = checkGlConfig(Buffer.from(JSON.stringify({ ...file, routers: [] })), { environment: {} })
  assert.ok(check.kind === 'checked', JSON.stringify(check))
  const sizes = [...splitConfig(check.digest, check.config)].map((piece) => JSON.stringify(piece).length)
  assert.ok(Math.max(...sizes) < MOST_CHARACTERS)
})

import assert from 'node:assert/strict'
import { busOptions, connectBus } from '@llm-gateway/sdk'
import { journalLogger } from '@llm-gateway/sdk/journal-logger-under-test'
import { startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { usedTokensInMemory } from './caps.ts'
import { SharedTokens } from './shared-tokens.ts'
import { type OpenedTokens, PERIOD_SECONDS, ROUTER, START, testUsedTokens } from './used-tokens-under-test.ts'

testUsedTokens('in memory', async () => ({
  tokens: usedTokensInMemory(),
  [Symbol.asyncDispose]: async () => undefined,
}))
testUsedTokens('shared over a real bus', () => sharedTokens({ jetstream: true }))
testUsedTokens('shared, on a bus without a store', () => sharedTokens({}))

async function sharedTokens(store: { readonly jetstream?: true }): Promise<OpenedTokens> {
  const stack = new AsyncDisposableStack()
  const server = stack.use(await startNatsServer(store))
  const { logger } = journalLogger()
  const place = busOptions({ GATEWAY_HOST: server.address, NATS_TOKEN: server.token })
  assert.ok(place)
  const bus = await connectBus({ ...place, name: 'test', logger })
  assert.ok(bus)
  stack.defer(() => bus.close())
  const keyValue = bus.keyValue({ bucket: 'llm_test', maxBytes: 1024 * 1024, storage: 'file', ttlMs: 240_000 })
  const routers = new Set([ROUTER, '/__proto__/'])
  const limits = { periodSeconds: PERIOD_SECONDS, routers, now: () => START }
  const tokens = new SharedTokens({ keyValue, replica: 'a', logger, ...limits })
  if (store.jetstream === true) await tokens.ready
  stack.defer(() => tokens.close())
  return { tokens, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

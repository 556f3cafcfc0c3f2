import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endpoints } from '@llm-gateway/gui-api'
import { transactionRoutes } from './transaction-routes.ts'

test('of the records that are opened at one moment four are read at once', async () => {
  const reads: PromiseWithResolvers<Uint8Array | undefined>[] = []
  const route = transactionRoutes({
    connected: true,
    recent: [],
    listen: () => () => undefined,
    kept: async () => undefined,
    file: async () => undefined,
    window: async () => ({ records: [], from: 0 }),
    record: () => {
      const read = Promise.withResolvers<Uint8Array | undefined>()
      reads.push(read)
      return read.promise
    },
  }).find(({ endpoint }) => endpoint === endpoints.record)
  const caller = { name: 'script', ended: new AbortController().signal }
  const asked = Array.from({ length: 10 }, () =>
    route?.answer({ parameters: { id: 's1' }, query: {}, body: undefined, caller }),
  )
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(reads.length, 4)
  for (let index = 0; index < asked.length; index += 1) {
    reads[index]?.resolve(index === 0 ? undefined : Buffer.from('{}'))
    const answer = await asked[index]
    assert.equal(answer?.kind, index === 0 ? 'failed' : 'answered')
    assert.ok(reads.length <= index + 5)
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type KubeClient, Store } from '@llm-gateway/kube'
import { decodeGateway } from '../kube/decode-resource.ts'
import { writeStatus } from './write-status.ts'

/** Makes an LLMGateway as an API server with an older CRD returns it: `operator` is missing. */
function stored(resourceVersion: string, status: object = {}) {
  const gateway = decodeGateway({
    metadata: { name: 'main', namespace: 'llm', uid: 'u', resourceVersion },
    spec: {},
    status,
  })
  assert.ok(gateway)
  return gateway
}

for (const isWritten of [true, false]) {
  test(`a status of which an older CRD keeps ${isWritten ? 'a part' : 'nothing new'} is not written again and again`, async () => {
    const store = new Store<ReturnType<typeof stored>>()
    store.put(stored('1', isWritten ? {} : { gatewayId: 'A' }))
    let writes = 0
    const client: Pick<KubeClient, 'merge'> = {
      merge: async () => {
        writes += 1
        return { kind: 'written', object: stored(isWritten ? '2' : '1', { gatewayId: 'A' }) }
      },
    }
    const kind = { kind: 'LLMGateway', store, decode: decodeGateway, unkept: new WeakMap() } as const
    const write = (gatewayId: string) => {
      const object = store.get('llm/main')
      assert.ok(object)
      const status = { gatewayId, operator: { namespace: 'a', name: 'b' } }
      return writeStatus(client, kind, { object, status })
    }
    await write('A')
    await write('A')
    assert.equal(writes, 1)
    await write('B')
    assert.equal(writes, 2, 'another status is written')
  })
}

test('an object that was deleted while its status was written does not come back', async () => {
  const store = new Store<ReturnType<typeof stored>>()
  const object = stored('1')
  store.put(object)
  const client: Pick<KubeClient, 'merge'> = {
    merge: async () => {
      store.delete(stored('3'))
      return { kind: 'written', object: stored('2', { gatewayId: 'A' }) }
    },
  }
  const kind = { kind: 'LLMGateway', store, decode: decodeGateway, unkept: new WeakMap() } as const
  assert.equal(await writeStatus(client, kind, { object, status: { gatewayId: 'A' } }), undefined)
  assert.equal(store.get('llm/main'), undefined)
})

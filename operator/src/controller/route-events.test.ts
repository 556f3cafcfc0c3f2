import assert from 'node:assert/strict'
import { test } from 'node:test'
import { routerSchema } from '@llm-gateway/crds'
import { NO_ROOM } from '../translate/routers/no-room.ts'
import { isRouterEdit } from './route-events.ts'

function router(status: object, headers: Readonly<Record<string, string[]>> = {}) {
  const parsed = routerSchema.parse({
    metadata: { name: 'a', namespace: 'team', uid: 'a', generation: 1 },
    spec: { gatewayRef: { name: 'main', namespace: 'llm' }, path: '/a/', outbound: { url: 'https://res.example/' } },
    status,
  })
  return { ...parsed, spec: { ...parsed.spec, outbound: { ...parsed.spec.outbound, headers } } }
}

test('a new status of a Router is no edit, and room that it found in the caches is one', () => {
  assert.equal(isRouterEdit(router({}), router({ url: 'https://a.example/a/' })), false)
  assert.equal(isRouterEdit(router({}, NO_ROOM), router({})), true)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { readHeaders } from '../http/headers.ts'
import { parseQuery } from '../http/query.ts'
import { MemoryShare } from '../memory/memory-account.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { headMemory } from './head-memory.ts'
import { noPayload } from './payload.ts'
import { RequestSide } from './request-side.ts'
import { gatewayWith } from './transact-under-test.ts'

// Rules: docs/reference/http.md#memory

const CALLS = 20
const upstream: Upstream = {
  send: async () => ({ kind: 'failed', code: 'UPSTREAM_REFUSED' }),
  close: async () => undefined,
}

const names = (count: number, text: (name: string) => string): string =>
  Array.from({ length: count }, (_, index) => text(index.toString(36))).join('')

/** Heads just below header_bytes, and heads of few characters. */
const HEADS: readonly (readonly [name: string, query: string, lines: number])[] = [
  ['11,000 parameters', names(11_000, (name) => `${name}&`), 0],
  ['29,000 parameters of one name', 'a&'.repeat(29_000), 0],
  ['6,000 escaped parameters', 'a%41=%41&'.repeat(6_000), 0],
  ['a parameter of 58 KB', 'a'.repeat(58_000), 0],
  ['9,000 header lines', '', 9_000],
  ['1,000 header lines', '', 1_000],
  ['1,500 parameters', names(1_500, (name) => `${name}&`), 0],
]

for (const [name, query, lines] of HEADS) {
  test(`a head of ${name} takes no more memory than is counted while processors have its fields`, async () => {
    setFlagsFromString('--expose-gc')
    const collect: unknown = runInNewContext('gc')
    assert.ok(typeof collect === 'function')
    const used = async (): Promise<number> => {
      await nextTurn()
      collect()
      return process.memoryUsage().heapUsed
    }
    const gateway = gatewayWith(upstream, [], [])
    const made = (): readonly unknown[] => {
      const call = {
        target: arrived(`/llm/?${query}`),
        rawHeaders: Array.from({ length: lines }, (_, index) => [
          arrived(`x${index.toString(36)}`),
          arrived('v'),
        ]).flat(),
      }
      const runtime = gateway.live.current
      const route = runtime.routes.byPath.get('/llm/')
      assert.ok(typeof route === 'object')
      const memory = gateway.account.open('/llm/', new MemoryShare())
      const headBytes = headMemory({ call, route })
      memory.add(headBytes)
      const headers = readHeaders(call.rawHeaders)
      const parameters = parseQuery(call.target.slice(call.target.indexOf('?') + 1))
      const ingress = { method: 'GET', route, subpath: '', query: parameters, headers, payload: noPayload }
      const side = new RequestSide(runtime, ingress, { memory, headBytes })
      return [call, side, side.fields]
    }
    made()
    const [usedBefore, heldBefore] = [await used(), gateway.account.heldBytes]
    const calls = Array.from({ length: CALLS }, made)
    const taken = ((await used()) - usedBefore) / calls.length
    const counted = (gateway.account.heldBytes - heldBefore) / calls.length
    await gateway.bus.close()
    assert.ok(taken <= counted, `${Math.round(taken)} bytes taken, ${counted} counted`)
  })
}

/** Returns a new string, as each call brings one. */
function arrived(text: string): string {
  return Buffer.from(text).toString('latin1')
}

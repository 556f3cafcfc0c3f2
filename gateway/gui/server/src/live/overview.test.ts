import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { assertShortTurns } from '@llm-gateway/test/fake/short-turns'
import { watchTurns } from '../fixture/watch-turns.ts'
import { overview } from './overview.ts'

/** Longest turn of the main thread, in CPU time. */
const LONGEST_TURN_MS = 100
const PROCESSORS = 5_000

/** Starts an admin port with these metrics, which notes the addresses that it is asked for. */
async function startAdmin(metrics: string) {
  const asked: string[] = []
  const server = createServer(({ url = '' }, answer) => {
    asked.push(url)
    answer.end(url.startsWith('/metrics') ? metrics : '{"bus":"connected"}')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  assert.ok(address !== null && typeof address === 'object')
  return {
    admin: `http://127.0.0.1:${address.port}`,
    asked,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

async function overviewOf(admin: string, names: readonly string[]) {
  const rows = names.map((name, row) => ({ name, phase: 'request', row, async: false, required: false }) as const)
  const place = { scheme: 'http', port: 1, admin, certificateFile: undefined, sessionHeader: '' } as const
  return await overview({
    version: '0.0.0',
    parts: async () => ({ place, rows, services: [], sinks: [] }),
    services: async () => new Map(),
    bus: { connected: true, kept: async () => undefined, behind: async () => undefined },
  })
}

const linesOf = (name: string, calls: number): string =>
  [
    `llm_gateway_processor_seconds_count{processor="${name}",phase="request",outcome="ok"} ${calls}`,
    `llm_gateway_processor_seconds_count{processor="${name}",phase="request",outcome="failed"} 2`,
    `llm_gateway_processor_seconds_count{processor="${name}",phase="response",outcome="failed"} 1`,
    `llm_gateway_processor_seconds_sum{processor="${name}",outcome="ok"} 1`,
    '',
  ].join('\n')

test('the counts of a processor are summed over its phases, and the gateway is asked for no list of its routers', async () => {
  await using gateway = await startAdmin(`${linesOf('one', 7)}llm_gateway_inflight_requests 3\n`)
  const { gateway: state, processors } = await overviewOf(gateway.admin, ['one', 'one', 'other'])
  assert.deepEqual(gateway.asked.toSorted(), ['/metrics', '/status'])
  assert.equal(state.reachable && state.inflight_requests, 3)
  const [one, again, other] = processors.map(({ calls, failures, mean_ms }) => ({ calls, failures, mean_ms }))
  assert.deepEqual(one, { calls: 10, failures: { failed: 3 }, mean_ms: 100 })
  assert.deepEqual(again, one)
  assert.deepEqual(other, { calls: null, failures: {}, mean_ms: null })
})

test(`the counts of ${PROCESSORS} entries of rows are found in short turns`, async () => {
  const names = Array.from({ length: PROCESSORS }, (_, index) => `p${index}`)
  await using gateway = await startAdmin(names.map((name) => linesOf(name, 1)).join(''))
  await assertShortTurns(LONGEST_TURN_MS, async () => {
    using turns = watchTurns()
    const { processors } = await overviewOf(gateway.admin, names)
    assert.equal(processors.filter(({ calls }) => calls === 4).length, PROCESSORS)
    return turns.longestMs
  })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startGatewayProcess } from '../../fake/gateway.ts'
import { startLlm } from '../../fake/llm.ts'

const SECRET = 'planted-secret'
/** Throws an uncaught error when the gateway gets this signal. */
const FAULT = `process.once('SIGUSR2', () => { throw new RangeError(process.env.PLANTED) })`

test('an uncaught fault is logged by name, the running call finishes, then the process exits with 1', async () => {
  await using llm = await startLlm()
  const held = Promise.withResolvers<void>()
  llm.respond(async () => {
    await held.promise
    return { kind: 'answer', body: '{"late":true}' }
  })
  await using gateway = await startGatewayProcess({
    nodeArguments: ['--import', `data:text/javascript,${encodeURIComponent(FAULT)}`],
    env: { PLANTED: SECRET },
    config: { routers: [{ path: '/llm/', outbound: { url: llm.url } }] },
  })
  const call = fetch(`${gateway.url}/llm/x`, { method: 'POST', body: '{}' })
  await llm.requests.waitForCount(1)
  gateway.kill('SIGUSR2')
  const line: { name: string; level: string } = JSON.parse(
    await gateway.lines.waitFor((text) => text.includes('uncaught error; the gateway ends')),
  )
  assert.deepEqual([line.level, line.name], ['ERROR', 'RangeError'])
  held.resolve()
  const answer = await call
  assert.deepEqual([answer.status, await answer.text()], [200, '{"late":true}'])
  assert.equal((await gateway.exited).code, 1)
  assert.ok(!gateway.lines.entries.join('').includes(SECRET))
})

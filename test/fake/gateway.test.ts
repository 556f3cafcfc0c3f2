// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of the configuration file
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { startGateway, startGatewayProcess } from './gateway.ts'
import { startLlm } from './llm.ts'
import { startNatsServer } from './nats-server.ts'
import { collectRecords } from './records.ts'

async function post(url: string, body: unknown): Promise<Response> {
  const headers = { 'Content-Type': 'application/json' }
  return await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
}

test('a gateway in this process gives tests its answers, records, log and file', async () => {
  await using nats = await startNatsServer()
  await using records = await collectRecords(nats)
  await using llm = await startLlm()
  const gateway = await startGateway({
    nats,
    config: { routers: [{ path: '/llm/', outbound: { url: '${LLM}' } }] },
    env: { LLM: llm.url },
  })
  const answer = await post(`${gateway.url}/llm/chat/completions`, { model: 'm' })
  assert.equal(answer.status, 200)
  await gateway.logs.waitFor(({ msg }) => msg === 'http(s) server initialized')
  const record = await records.waitFor(({ record: { session_id } }) => session_id === answer.headers.get('session-id'))
  assert.equal(record.field('request.gl_path'), '/llm/')
  assert.equal(record.field('response.egress_payload.usage.total_tokens'), 24)
  assert.match(record.messageId ?? '', /^GATEWAY1-\d+-\d+$/)
  await gateway.close()
  assert.equal(existsSync(gateway.file), false)
})

test('a gateway in a process of its own applies an edit of its file, and SIGTERM ends it with 0', async () => {
  await using llm = await startLlm()
  await using gateway = await startGatewayProcess({ admin: true })
  assert.equal((await post(`${gateway.url}/late/chat/completions`, {})).status, 404)
  const digest = await gateway.editConfig({ routers: [{ path: '/late/', outbound: { url: llm.url } }] })
  await gateway.waitForDigest(digest)
  assert.equal((await post(`${gateway.url}/late/chat/completions`, {})).status, 200)
  gateway.kill('SIGTERM')
  assert.equal((await gateway.exited).code, 0)
})

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { startGatewayProcess } from '../../fake/gateway.ts'
import { type Llm, startLlm } from '../../fake/llm.ts'
import { hugeJson } from '../../fake/llm-answer.ts'
import { startNatsServer } from '../../fake/nats-server.ts'
import { collectRecords } from '../../fake/records.ts'

// Rules: docs/reference/record.md#cuts, docs/reference/http.md#memory

const MB = 1024 * 1024
let llm: Llm

before(async () => {
  llm = await startLlm()
})
after(() => llm.close())

/** Returns a chat with images of 30 MB in total, as base64. */
function chatWithImages(): Buffer {
  const url = `data:image/png;base64,${Buffer.alloc(7.5 * MB, 'image').toString('base64')}`
  const images = [0, 1, 2].map(() => ({ type: 'image_url', image_url: { url } }))
  return Buffer.from(JSON.stringify({ model: 'm', messages: [{ role: 'user', content: images }] }))
}

async function peakBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1024
}

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

const buses = [
  { maxPayload: 32 * MB, cut: ['outbound_payload'] },
  { maxPayload: MB, cut: ['outbound_payload', 'ingress_payload'] },
]

for (const { maxPayload, cut } of buses) {
  test(`30 MB of images pass; over a bus of ${maxPayload / MB} MiB the record is cut and names the cut payloads`, async () => {
    await using nats = await startNatsServer({ maxPayload })
    await using records = await collectRecords(nats)
    const routers = [{ path: '/llm/', outbound: { url: llm.url } }]
    await using gateway = await startGatewayProcess({ nats, config: { routers } })
    // Before the bus has announced its max_payload, a record of this size is lost.
    await gateway.lines.waitFor((line) => line.includes('"for":"records"') && line.includes('"bus connected"'))
    const body = chatWithImages()
    assert.ok(body.length > 30 * MB && body.length < 32 * MB, String(body.length))
    llm.requests.clear()
    for (const count of [1, 2, 3]) {
      const answer = await fetch(`${gateway.url}/llm/chat/completions`, { method: 'POST', body })
      assert.equal(answer.status, 200)
      await answer.arrayBuffer()
      const seen = (await records.waitForCount(count)).at(-1)
      assert.deepEqual(seen?.record.cut, cut)
      const wholes = { ingress_payload: JSON.parse(body.toString()), outbound_payload: undefined }
      for (const name of ['ingress_payload', 'outbound_payload'] as const) {
        const recorded = seen?.field(`request.${name}`)
        const head = body.subarray(0, 4096).toString()
        const expected = cut.includes(name) ? { cut: true, bytes: body.length, head } : wholes[name]
        assert.deepEqual(recorded, expected)
      }
    }
    for (const { body: arrived } of llm.requests.entries) assert.equal(digest(arrived), digest(body))
    const peak = await peakBytes(gateway.pid)
    assert.ok(peak < 600 * MB, `${Math.round(peak / MB)} MiB`)
  })
}

test('an answer of 1 GB passes within bounded memory, and its record is cut', async () => {
  await using nats = await startNatsServer()
  await using records = await collectRecords(nats)
  const routers = [{ path: '/llm/', outbound: { url: llm.url } }]
  await using gateway = await startGatewayProcess({ nats, config: { routers } })
  await gateway.lines.waitFor((line) => line.includes('"for":"records"') && line.includes('"bus connected"'))
  const bytes = 1024 * MB
  llm.respond(() => ({ kind: 'answer', headers: [['Content-Type', 'application/json']], body: hugeJson(bytes) }))
  const answer = await fetch(`${gateway.url}/llm/x`)
  let got = 0
  for await (const chunk of answer.body ?? []) got += chunk.length
  assert.equal(got, bytes)
  const [record] = await records.waitForCount(1)
  assert.deepEqual(record?.record.cut, ['egress_payload', 'inbound_payload'])
  assert.equal(record?.field('response.egress_payload.bytes'), bytes)
  const peak = await peakBytes(gateway.pid)
  // Garbage that a busy machine has not collected counts too; a held answer would exceed the bound.
  assert.ok(peak < 800 * MB, `${Math.round(peak / MB)} MiB`)
  llm.respond(undefined)
})

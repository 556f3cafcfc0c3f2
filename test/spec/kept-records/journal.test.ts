import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startGatewayProcess } from '../../fake/gateway.ts'
import { startLlm } from '../../fake/llm.ts'
import { jsonAnswer, type LlmAnswer } from '../../fake/llm-answer.ts'
import { startNatsServer } from '../../fake/nats-server.ts'
import { openRecordStream, type StoredRecord } from '../../fake/record-stream.ts'
import { temporaryFolder } from '../../fake/temporary-folder.ts'

// Rules: docs/reference/kept-records.md#durability

const FIRST_EVENT = 'data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n'
const answers: Readonly<Record<string, () => LlmAnswer>> = {
  json: () => jsonAnswer({ answer: 'whole' }),
  stream: () => ({
    kind: 'answer',
    headers: [['Content-Type', 'text/event-stream']],
    body: [FIRST_EVENT, 'data: [DONE]\n\n'],
  }),
  sized: () => ({
    kind: 'answer',
    headers: [
      ['Content-Type', 'application/json'],
      ['Content-Length', '100001'],
    ],
    body: ['1'.repeat(50_000), '2'.repeat(50_000), '3'],
  }),
  'http error': () => ({ ...jsonAnswer({ error: 'no' }), status: 429 }),
  'no answer': () => ({ kind: 'reset' }),
}

test('with the journal a gateway that is killed as soon as a caller has its answer loses no record', async () => {
  await using folder = await temporaryFolder()
  await using nats = await startNatsServer({ jetstream: true })
  await using llm = await startLlm()
  await using kept = await openRecordStream(nats)
  const config = {
    record: { durability: 'journal' },
    spool: { directory: folder.path },
    routers: [{ path: '/llm/', outbound: { url: llm.url } }],
  }
  const asked: { readonly what: string; readonly serial: number; readonly status: number; readonly text: string }[] = []
  for (const [what, respond] of Object.entries(answers)) {
    await using gateway = await startGatewayProcess({ nats, config, admin: true })
    await waitForJournal(gateway.adminUrl)
    llm.respond(respond)
    // No byte reaches the bus, so only the disk can have the record.
    await nats.kill('SIGSTOP')
    const serial = asked.length + 1
    const answer = await fetch(`${gateway.url}/llm/x`, { method: 'POST', body: JSON.stringify({ serial }) })
    const text = await answer.text()
    gateway.kill('SIGKILL')
    await gateway.exited
    asked.push({ what, serial, status: answer.status, text })
    await nats.kill('SIGCONT')
  }
  await using gateway = await startGatewayProcess({ nats, config, admin: true })
  await kept.waitForCount(asked.length)
  const records = (await kept.read()).map(fieldsOf)
  assert.deepEqual(
    records.map(({ serial, status }) => [serial, status]).sort(),
    asked.map(({ serial, status }) => [serial, status]),
  )
  assert.deepEqual(
    asked.map(({ text }) => text.length),
    [18, FIRST_EVENT.length + 14, 100_001, 14, 0],
  )
  const { lost } = Object(await statusOf(gateway.adminUrl))
  assert.deepEqual(lost, {})
})

test('with journal and bus each record is published once and complete, and no file stays on disk', async () => {
  await using folder = await temporaryFolder()
  await using nats = await startNatsServer({ jetstream: true })
  await using kept = await openRecordStream(nats)
  const config = { record: { durability: 'journal' }, spool: { directory: folder.path } }
  {
    await using gateway = await startGatewayProcess({ nats, config, admin: true })
    await waitForJournal(gateway.adminUrl)
    const ask = (serial: number) =>
      fetch(`${gateway.url}/echo/`, { method: 'POST', body: JSON.stringify({ serial }) }).then((answer) =>
        answer.text(),
      )
    for (let serial = 1; serial <= 200; serial += 4) await Promise.all([0, 1, 2, 3].map((more) => ask(serial + more)))
  }
  const records = (await kept.read()).map(fieldsOf)
  assert.equal(records.length, 200)
  assert.equal(new Set(records.map(({ serial }) => serial)).size, 200)
  assert.ok(records.every(({ incomplete }) => incomplete === undefined))
  assert.deepEqual(await folder.files(/\.(records|journal)$/), [])
})

function fieldsOf({ text }: StoredRecord): { serial: number; status: number; incomplete: unknown } {
  const { request, response, incomplete } = JSON.parse(text)
  return { serial: request.ingress_payload.serial, status: response.egress_status_code, incomplete }
}

async function statusOf(adminUrl: string | undefined): Promise<unknown> {
  const answer = await fetch(`${adminUrl}/status`)
  return Object(await answer.json()).records
}

/** Waits until the bus keeps records and the spool is open. */
async function waitForJournal(adminUrl: string | undefined): Promise<void> {
  const end = performance.now() + 60_000
  for (;;) {
    const { stream, spool } = Object(await statusOf(adminUrl))
    if (stream === 'on' && spool === 'on') return
    assert.ok(performance.now() < end, `stream ${stream}, spool ${spool}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

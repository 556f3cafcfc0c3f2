import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { type BusClient, connectBusClient } from '@llm-gateway/test/fake/bus-client'
import { freePort } from '@llm-gateway/test/fake/free-port'
import { metricUntil, readMetric } from '@llm-gateway/test/fake/metric'
import { startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { startProgram, waitForLine } from '@llm-gateway/test/fake/program'

const MAIN = join(import.meta.dirname, 'main.ts')
const SUBJECT = 'llm.gl.contentfilter'
const PATIENT_MS = 120_000
const WORDS = 'The clusters in Berlin cost 42 euros a day and nobody knows why. '
const prompt = (content: string, gl_path = '/other/'): Buffer =>
  Buffer.from(JSON.stringify({ gl_path, ingress_payload: { messages: [{ role: 'user', content }] } }))
const LONG = prompt(WORDS.repeat((300 * 1024) / WORDS.length), '/flood/')
const SHALLOW = Buffer.from(`{"gl_path":"/flood/","ingress_payload":[${'{},'.repeat(4 * 1024 * 1024)}{}]}`)

async function startFilter() {
  const stack = new AsyncDisposableStack()
  const server = stack.use(await startNatsServer())
  const port = await freePort()
  const environment = { GATEWAY_HOST: server.address, NATS_TOKEN: server.token, PROCESSOR_PORT: String(port) }
  const program = stack.use(await startProgram({ command: process.execPath, args: [MAIN], environment }))
  await waitForLine(program, /processor initialized/)
  const client = stack.use(await connectBusClient(server))
  const count = (outcome: string): Promise<number> =>
    readMetric({ adminUrl: `http://127.0.0.1:${port}` }, 'llm_processor_messages_total', { outcome })
  return { client, count, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

async function isToxic(client: BusClient, message: Buffer): Promise<unknown> {
  return JSON.parse(Buffer.from(await client.ask(SUBJECT, message, PATIENT_MS)).toString()).is_toxic
}

test('short prompts are answered before 80 long prompts, which end at their deadline', async () => {
  await using scene = await startFilter()
  const { client, count } = scene
  let ended = 0
  const flood = Array.from({ length: 80 }, async () => {
    // 80 requests take several seconds.
    await client.ask(SUBJECT, LONG, 1_500).catch(() => undefined)
    ended += 1
  })
  await client.flush()
  for (let n = 0; n < 20; n += 1) assert.equal(await isToxic(client, prompt('How are you?')), false)
  assert.ok(ended < 80, 'the short prompts were not asked beside the long prompts')
  await Promise.all(flood)
  assert.equal(await isToxic(client, prompt(`${WORDS.repeat(2_000)} I will kill you.`)), true)
  // A message whose time ended during its reading counts as failed. Each message has one outcome.
  await metricUntil(
    async () => (await Promise.all(['answered', 'expired', 'failed'].map(count))).reduce((sum, one) => sum + one, 0),
    (sum) => sum >= 80 + 21,
  )
  assert.ok((await count('expired')) > 0)
})

test('bodies of 12 MiB of shallow JSON get no answer and delay no short prompt', async () => {
  await using scene = await startFilter()
  const { client, count } = scene
  for (let n = 0; n < 8; n += 1) client.publish(SUBJECT, SHALLOW, Date.now() + PATIENT_MS)
  await client.flush()
  for (let n = 0; n < 20; n += 1) assert.equal(await isToxic(client, prompt('How are you?')), false)
  await metricUntil(
    async () => (await count('failed')) + (await count('dropped')),
    (sum) => sum === 8,
  )
  assert.equal(await isToxic(client, prompt('you are a worthless idiot')), true)
})

// `node test/bench/processor-load.ts` measures the latency of short prompts beside long prompts.
test('short prompts are answered before prompts of 50 KB of the same router that came first', async () => {
  await using scene = await startFilter()
  const { client } = scene
  const long = prompt(WORDS.repeat(50_000 / WORDS.length), '/flood/')
  // Starts the thread.
  assert.equal(await isToxic(client, long), false)
  let answered = 0
  const asked = Array.from({ length: 40 }, async () => {
    assert.equal(await isToxic(client, long), false)
    answered += 1
  })
  await client.flush()
  for (let n = 0; n < 5; n += 1) assert.equal(await isToxic(client, prompt('How are you?', '/flood/')), false)
  assert.ok(answered < 20, `${answered} long prompts were first`)
  await Promise.all(asked)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isJsonObject } from '@llm-gateway/protocol'
import { busOptions, connectBus, SettingsError, serveProcessor } from '@llm-gateway/sdk'
import { journalLogger } from '@llm-gateway/sdk/journal-logger-under-test'
import { connectBusClient } from '@llm-gateway/test/fake/bus-client'
import { startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { PIECE_LENGTH } from './cut-text.ts'
import { nlpEntities } from './nlp-entities.ts'

// Rules: docs/reference/processors.md#nlp-entities

const SUBJECT = 'llm.gl.nlpentities'
const QUESTION = 'Who were the founders of Microsoft?'
const ANSWER = 'Microsoft was founded by Bill Gates and Paul Allen on 4 April 1975.'
const IN_THE_ANSWER = [
  { text: 'Microsoft', label: 'ORG' },
  { text: 'Bill Gates', label: 'PERSON' },
  { text: 'Paul Allen', label: 'PERSON' },
  { text: '4 April 1975', label: 'DATE' },
]
const question = (content: unknown) => ({ outbound_payload: { messages: [{ role: 'user', content }] } })
const nothing = { nlp_entities: { entities: [] } }

test('nlp_entities lists the entities of a question and of an answer', async () => {
  await using scene = await onTheBus()
  assert.deepEqual(await scene.ask(question(QUESTION)), {
    nlp_entities: { entities: [{ text: 'Microsoft', label: 'ORG' }] },
  })
  const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: ANSWER } }]
  assert.deepEqual(await scene.ask({ egress_payload: { choices } }), { nlp_entities: { entities: IN_THE_ANSWER } })
})

test('a message of another form gets an empty answer', async () => {
  await using scene = await onTheBus()
  const messages = [
    {},
    { gl_path: '/other/' },
    { outbound_payload: null },
    { outbound_payload: 'text' },
    { egress_payload: [] },
    question(''),
    question(7),
    { __proto__: null, egress_payload: { choices: {} } },
  ]
  for (const message of messages) assert.deepEqual(await scene.ask(message), {}, JSON.stringify(message))
  assert.deepEqual(await scene.askText(`{"__proto__":{"egress_payload":{"choices":[{"text":"Paris"}]}}}`), {})
})

test('slow and large texts are answered, with a mark where they were cut', async () => {
  await using scene = await onTheBus()
  const truncated = { nlp_entities: { entities: [], truncated: true } }
  assert.deepEqual(await scene.ask(question('a'.repeat(10 * 1024 * 1024))), truncated)
  assert.deepEqual(await scene.ask(question('\ud800'.repeat(50_000))), truncated)
  assert.deepEqual(await scene.ask(question('\u0000\u0007\u001b '.repeat(8_000))), nothing)
  const crowd = Array.from({ length: 300_000 }, () => ({ content: 'a' }))
  assert.deepEqual(await scene.ask({ outbound_payload: { messages: crowd } }), truncated)
  const names = await scene.ask(question('Paris, '.repeat(4_000)))
  assert.ok(isJsonObject(names.nlp_entities) && Array.isArray(names.nlp_entities.entities))
  assert.equal(names.nlp_entities.entities.length, 1_000)
  assert.equal(names.nlp_entities.truncated, true)
  assert.deepEqual(await scene.ask(question('"__proto__" constructor Paris')), {
    nlp_entities: { entities: [{ text: 'Paris', label: 'GPE' }] },
  })
})

test('the texts of a router end one by one, and another router’s text is found before its last ones', async () => {
  await using scene = await onTheBus()
  const words = 'and so we went on and on. '
  const text = words.repeat((3 * PIECE_LENGTH) / words.length)
  const ended: string[] = []
  const ask = async (gl_path: string): Promise<void> => {
    await scene.ask({ gl_path, ...question(text) })
    ended.push(gl_path)
  }
  const flood = Array.from({ length: 20 }, () => ask('/flood/'))
  await Promise.race(flood)
  await ask('/other/')
  assert.ok(ended.indexOf('/other/') < 10, ended.join(' '))
  await Promise.all(flood)
})

test('an endpoint with an invalid address or header is refused with the name of the setting, without its values', () => {
  const rows: readonly (readonly [object, object])[] = [
    [{ url: 'ftp://spacy' }, { 'endpoint.url': 'http_url:' }],
    [{ url: 'spacy' }, { 'endpoint.url': 'http_url:' }],
    [{ url: 'http://user:planted@spacy/' }, { 'endpoint.url': 'http_url:' }],
    [{ url: 'http://spacy', headers: { 'A B': 'planted' } }, { 'endpoint.headers': 'header:' }],
    [{ url: 'http://spacy', headers: { A: 'planted\r\nB: c' } }, { 'endpoint.headers': 'header:' }],
  ]
  for (const [endpoint, reasons] of rows) {
    assert.throws(
      () => created({ endpoint }),
      (error) => error instanceof SettingsError && assert.deepEqual(error.reasons, reasons) === undefined,
    )
  }
})

test('invalid settings are refused', () => {
  const { settings } = nlpEntities('0.0.0')
  for (const value of [
    { request_paths: [''] },
    { response_paths: ['..'] },
    { max_characters: 0 },
    { max_entities: 'many' },
    { timeout_ms: -1 },
    { endpoint: {} },
    { routers: [{}] },
  ]) {
    assert.equal(settings.safeParse(value).success, false, JSON.stringify(value))
  }
  assert.equal(settings.parse({ max_entities: '7' }).max_entities, 7)
})

function created(file: object) {
  const definition = nlpEntities('0.0.0')
  const { logger } = journalLogger()
  return definition.create(definition.settings.parse(file), { logger })
}

async function onTheBus(file: object = {}) {
  const server = await startNatsServer()
  const { logger } = journalLogger()
  const place = busOptions({ NATS_TOKEN: server.token, GATEWAY_HOST: server.address }, {})
  assert.ok(place)
  const bus = await connectBus({ ...place, name: 'test', logger })
  assert.ok(bus)
  const { answer, concurrency = 64, close } = await created(file)
  const processor = await serveProcessor({ bus, subject: SUBJECT, logger, answer, concurrency })
  const outside = await connectBusClient(server)
  const askText = async (text: string): Promise<Readonly<Record<string, unknown>>> => {
    const reply: unknown = JSON.parse(Buffer.from(await outside.request(SUBJECT, Buffer.from(text), 60_000)).toString())
    assert.ok(isJsonObject(reply))
    return reply
  }
  return {
    askText,
    ask: (message: object) => askText(JSON.stringify(message)),
    [Symbol.asyncDispose]: async () => {
      await processor.drain()
      await close?.()
      await bus.close()
      await outside.close()
      await server.close()
    },
  }
}

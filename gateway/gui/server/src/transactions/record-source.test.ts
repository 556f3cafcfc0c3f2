import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { createLogger } from '@llm-gateway/conf'
import { connectBus } from '@llm-gateway/sdk'
import { connectBusClient } from '@llm-gateway/test/fake/bus-client'
import { type NatsServer, startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { RecordSource } from './record-source.ts'

const SUBJECT = 'llm.gl.logger'
const STREAM = 'records_llm'
const LIMIT_MS = 60_000
/** The answer of a server on which JetStream isn't enabled. */
const NO_STORE = JSON.stringify({
  type: 'io.nats.jetstream.api.v1.stream_info_response',
  error: { code: 503, err_code: 10_076, description: 'JetStream not enabled' },
})

test('an open live view sees the records of a stream that is made only then, each once', async () => {
  await using nats = await startNatsServer({ jetstream: true })
  await using scene = await listeningScene(nats)
  const { told, publish, untilTold } = scene
  while (told.length === 0) {
    publish('probe')
    await delay(20)
  }
  await scene.makeStream()
  await scene.untilFollowed()
  publish('a')
  await untilTold('a')
  assert.deepEqual(
    told.filter(({ text }) => text === 'a').map(({ id }) => id.slice(0, 1)),
    ['s'],
  )
})

test('an open live view sees every record of a stream that was deleted and is made anew later', async () => {
  await using nats = await startNatsServer({ jetstream: true })
  await using scene = await listeningScene(nats, 'stream first')
  await scene.untilFollowed()
  await scene.deleteStream()
  await scene.untilAskedTwice()
  await scene.makeStream()
  const texts = ['1', '2', '3']
  for (const text of texts) await scene.keep(text)
  await scene.untilTold('3')
  assert.deepEqual(
    scene.told.map(({ text }) => text).filter((text) => text !== 'probe'),
    texts,
  )
})

test('a restart of the bus shows no record of the stream again, and the view goes on', async () => {
  await using nats = await startNatsServer({ jetstream: true })
  await using scene = await listeningScene(nats, 'stream first')
  await scene.untilFollowed()
  await scene.keep('before')
  await scene.untilTold('before')
  await nats.restart()
  await scene.keep('after')
  await scene.untilTold('after')
  const texts = scene.told.map(({ text }) => text)
  assert.deepEqual([texts.filter((text) => text === 'before').length, texts.at(-1)], [1, 'after'])
})

test('a bus that keeps nothing for a while shows no record of its stream again', async () => {
  await using nats = await startNatsServer({ jetstream: true })
  await using scene = await listeningScene(nats, 'stream first')
  await scene.untilFollowed()
  await scene.keep('before')
  await scene.untilTold('before')
  scene.stop()
  await nats.stop()
  {
    await using _storeless = await startNatsServer({ port: nats.port })
    scene.answerWithoutStore(true)
    scene.listen()
    await scene.untilAskedTwice()
    scene.answerWithoutStore(false)
  }
  await nats.restart()
  while (!scene.told.some(({ text }) => text === 'after')) {
    await scene.keep('after')
    await delay(20)
  }
  assert.equal(scene.told.filter(({ text }) => text === 'before').length, 1)
})

/** Starts a source with a listener on a bus, with or without the stream of records. */
async function listeningScene(nats: NatsServer, when: 'no stream' | 'stream first' = 'no stream') {
  const { hostname, port, token = '', address } = nats
  const logger = createLogger({ service: 'test', write: () => undefined })
  const place = { address: { hostname, port }, credentials: { kind: 'token', token } } as const
  const bus = await connectBus({ ...place, name: 'test', logger })
  assert.ok(bus)
  const client = await connectBusClient({ address, token })
  let asked = 0
  let isStoreless = false
  await client.subscribe(`$JS.API.STREAM.INFO.${STREAM}`, ({ reply }) => {
    asked += 1
    if (isStoreless) reply(Buffer.from(NO_STORE))
  })
  const api = async (method: string) => {
    const answer = await client.request(`$JS.API.${method}.${STREAM}`, Buffer.from('{}'))
    return JSON.parse(Buffer.from(answer).toString())
  }
  const makeStream = async (): Promise<void> => {
    const settings = { name: STREAM, subject: SUBJECT, maxBytes: 8 * 1024 * 1024, maxAgeMs: 60 * 60_000 }
    assert.equal((await bus.streams.makeStream(settings)).kind, 'found')
  }
  if (when === 'stream first') await makeStream()
  const source = new RecordSource({ bus: place, subject: SUBJECT, logger, file: async () => undefined })
  const told: { readonly id: string; readonly text: string }[] = []
  const listen = () => source.listen(({ id, bytes }) => void told.push({ id, text: Buffer.from(bytes).toString() }))
  let stop = listen()
  await source.start()
  return {
    told,
    makeStream,
    publish: (text: string) => bus.publish(SUBJECT, Buffer.from(text)),
    keep: (text: string) =>
      until(async () => (await bus.streams.keep(SUBJECT, Buffer.from(text), {})).kind === 'found'),
    untilTold: (wanted: string) => until(async () => told.some(({ text }) => text === wanted)),
    untilFollowed: () => until(async () => (await api('CONSUMER.NAMES')).consumers?.length > 0),
    deleteStream: () => api('STREAM.DELETE'),
    listen: () => {
      stop = listen()
    },
    stop: () => stop(),
    /** Begins or ends answers to the source in place of a server that runs without JetStream. */
    answerWithoutStore: (isOff: boolean) => {
      isStoreless = isOff
    },
    /** Waits until the source has looked twice for the stream, and so has the answer to its first look. */
    untilAskedTwice: async () => {
      const before = asked
      await until(async () => asked >= before + 2)
    },
    async [Symbol.asyncDispose]() {
      stop()
      await source.close()
      await client.close()
      await bus.close()
    },
  }
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + LIMIT_MS
  while (!(await isTrue())) {
    assert.ok(Date.now() < deadline)
    await delay(20)
  }
}

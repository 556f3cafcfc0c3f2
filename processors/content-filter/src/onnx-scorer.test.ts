import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { type TestContext, test } from 'node:test'
import { busOptions, connectBus, SettingsError, serveProcessor } from '@llm-gateway/sdk'
import { contextUnderTest } from '@llm-gateway/sdk/context-under-test'
import { journalLogger } from '@llm-gateway/sdk/journal-logger-under-test'
import { connectBusClient } from '@llm-gateway/test/fake/bus-client'
import { startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { contentFilter } from './definition.ts'
import { createOnnxScorer } from './onnx-scorer.ts'
import type { Scores } from './scores.ts'
import { onnxSettings } from './settings.ts'
import { writeTinyModel } from './tiny-model-under-test.ts'
import { installedTransformers } from './transformers-under-test.ts'

const SUBJECT = 'llm.gl.contentfilter'
const PATIENT_MS = 60_000
const { signal } = new AbortController()
const { logger } = journalLogger()

test('an ONNX model in a local directory gives scores, by its own labels and by labels of the settings', async (context) => {
  const package_directory = await packageDirectory(context)
  if (package_directory === undefined) return
  await using model = await writeTinyModel()
  const settings = onnxSettings.parse({ directory: model.directory, package_directory, labels: { menace: 'threat' } })
  const scorer = await createOnnxScorer(settings, logger)
  try {
    assert.deepEqual(over(await scorer.score(['hello fool'], signal)), ['toxicity', 'insult'])
    assert.deepEqual(over(await scorer.score(['hello', 'DOOM'], signal)), ['toxicity', 'threat'])
    assert.deepEqual(over(await scorer.score(['hello hello'], signal)), [])
    const { insult, threat } = await scorer.score(['fool'], signal)
    assert.ok(Math.abs(insult - 1 / (1 + Math.exp(-4))) < 1e-6 && Math.abs(threat - 1 / (1 + Math.exp(4))) < 1e-6)
  } finally {
    await scorer.close()
  }
})

test('a text over the limit of the model is scored in windows; a text over max_tokens has no scores', async (context) => {
  const package_directory = await packageDirectory(context)
  if (package_directory === undefined) return
  await using model = await writeTinyModel()
  const scorer = await createOnnxScorer(
    onnxSettings.parse({ directory: model.directory, package_directory, window_tokens: 16, max_tokens: 3_000 }),
    logger,
  )
  try {
    const padding = 'hello '.repeat(1_000)
    assert.deepEqual(over(await scorer.score([`${padding}fool ${padding}`], signal)), ['toxicity', 'insult'])
    assert.deepEqual(over(await scorer.score([padding, padding], signal)), [])
    await assert.rejects(scorer.score([padding.repeat(4)], signal), { code: 'TOO_MUCH_TEXT' })
    const controller = new AbortController()
    const given = scorer.score([padding], controller.signal)
    controller.abort()
    await assert.rejects(given, { code: 'TIMEOUT' })
    assert.deepEqual(over(await scorer.score(['fool'], signal)), ['toxicity', 'insult'])
  } finally {
    await scorer.close()
  }
  await assert.rejects(scorer.score(['fool'], signal), { code: 'CLOSED' })
  // The closed thread isn't asked.
  await assert.rejects(scorer.score(['x'.repeat(100_000)], signal), { code: 'TOO_MUCH_TEXT' })
})

test('a short text is scored while the thread is busy with a long one', async (context) => {
  const package_directory = await packageDirectory(context)
  if (package_directory === undefined) return
  await using model = await writeTinyModel()
  const settings = { directory: model.directory, package_directory, window_tokens: 16, max_tokens: 1_000_000 }
  const scorer = await createOnnxScorer(onnxSettings.parse(settings), logger)
  try {
    const stop = new AbortController()
    let hasEnded = false
    const long = scorer.score(['hello '.repeat(100_000)], stop.signal).finally(() => {
      hasEnded = true
    })
    assert.deepEqual(over(await scorer.score(['fool'], signal)), ['toxicity', 'insult'])
    assert.equal(hasEnded, false)
    stop.abort()
    await assert.rejects(long, { code: 'TIMEOUT' })
  } finally {
    await scorer.close()
  }
})

test('a short text is scored while the thread is busy with many long ones', async (context) => {
  const package_directory = await packageDirectory(context)
  if (package_directory === undefined) return
  await using model = await writeTinyModel()
  const settings = { directory: model.directory, package_directory, window_tokens: 16, max_tokens: 1_000_000 }
  const scorer = await createOnnxScorer(onnxSettings.parse(settings), logger)
  try {
    const stop = new AbortController()
    let ended = 0
    const long = Array.from({ length: 30 }, async () => {
      await assert.rejects(scorer.score(['hello '.repeat(100_000)], stop.signal), { code: 'TIMEOUT' })
      ended += 1
    })
    assert.deepEqual(over(await scorer.score(['fool'], signal)), ['toxicity', 'insult'])
    assert.equal(ended, 0)
    stop.abort()
    await Promise.all(long)
  } finally {
    await scorer.close()
  }
})

test('a text that is given up within a window that takes seconds does not end the thread of the model', async (context) => {
  const package_directory = await packageDirectory(context)
  if (package_directory === undefined) return
  await using model = await writeTinyModel(5)
  const { logger, lines } = journalLogger()
  const scorer = await createOnnxScorer(onnxSettings.parse({ directory: model.directory, package_directory }), logger)
  try {
    // Shows that the thread works on windows by now.
    assert.deepEqual(over(await scorer.score(['fool'], signal)), ['toxicity', 'insult'])
    const stop = new AbortController()
    const first = scorer.score(['doom'], stop.signal)
    setTimeout(() => stop.abort(), 100)
    await assert.rejects(first, { code: 'TIMEOUT' })
    assert.deepEqual(over(await scorer.score(['fool'], signal)), ['toxicity', 'insult'])
    assert.deepEqual(lines.entries, [])
  } finally {
    await scorer.close()
  }
})

test('a short text is scored while seven routers flood the model with long ones', async (context) => {
  const package_directory = await packageDirectory(context)
  if (package_directory === undefined) return
  await using model = await writeTinyModel()
  await using server = await startNatsServer()
  await using outside = await connectBusClient(server)
  const onnx = { directory: model.directory, package_directory, window_tokens: 16, max_tokens: 1_000_000 }
  const { settings, create } = contentFilter('1.0.0')
  const running = await create(settings.parse({ scorer: 'onnx', onnx }), contextUnderTest())
  const place = busOptions({ GATEWAY_HOST: server.address, NATS_TOKEN: server.token })
  assert.ok(place)
  const bus = await connectBus({ ...place, name: 'test', logger })
  assert.ok(bus)
  const { answer, large, ofRouter } = running
  assert.ok(large && ofRouter)
  const processor = await serveProcessor({ bus, subject: SUBJECT, logger, answer, large, ofRouter })
  let ended = 0
  const ask = async (router: string, text: string): Promise<unknown> => {
    const body = { gl_path: router, ingress_payload: { messages: [{ role: 'user', content: text }] } }
    const reply = await outside.askFor(router, SUBJECT, Buffer.from(JSON.stringify(body)), PATIENT_MS)
    return JSON.parse(Buffer.from(reply).toString()).is_toxic
  }
  const flood = [1, 2, 3, 4, 5, 6, 7].flatMap((router) =>
    Array.from({ length: 40 }, async (_, n) => {
      await ask(`/${router}/`, 'hello '.repeat(n % 2 === 0 ? 2_000 : 20_000)).catch(() => undefined)
      ended += 1
    }),
  )
  await outside.flush()
  assert.equal(await ask('/8/', 'fool'), true)
  assert.equal(ended, 0)
  await bus.close()
  await processor.close()
  await running.close?.()
  await outside.close()
  await Promise.all(flood)
})

test('the usual number of messages is in work beside a model, too', async (context) => {
  const package_directory = await packageDirectory(context)
  if (package_directory === undefined) return
  await using model = await writeTinyModel()
  const { settings, create } = contentFilter('1.0.0')
  const concurrencyOf = async (file: object): Promise<number | undefined> => {
    const { concurrency, close } = await create(settings.parse(file), contextUnderTest())
    await close?.()
    return concurrency
  }
  const onnx = { directory: model.directory, package_directory }
  assert.equal(await concurrencyOf({ scorer: 'onnx', onnx }), undefined)
  assert.equal(await concurrencyOf({ scorer: 'endpoint' }), undefined)
})

test('settings without a usable model are rejected with their path', async (context) => {
  await assert.rejects(createOnnxScorer(onnxSettings.parse({}), logger), reasons({ 'onnx.directory': 'required:' }))
  const nowhere = { directory: tmpdir(), package_directory: tmpdir() }
  await assert.rejects(
    createOnnxScorer(onnxSettings.parse(nowhere), logger),
    reasons({ 'onnx.package_directory': 'package:' }),
  )
  const package_directory = await packageDirectory(context)
  if (package_directory === undefined) return
  const empty = onnxSettings.parse({ directory: `${tmpdir()}/no-such-model`, package_directory })
  await assert.rejects(createOnnxScorer(empty, logger), reasons({ 'onnx.directory': 'model:' }))
})

function over(scores: Scores): readonly string[] {
  return Object.entries(scores).flatMap(([category, score]) => (score > 0.5 ? [category] : []))
}

function reasons(expected: Readonly<Record<string, string>>): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof SettingsError)
    assert.deepEqual(error.reasons, expected)
    return true
  }
}

/** Returns the package's folder. Without the package the tests are skipped, but CI must have it. */
async function packageDirectory(context: TestContext): Promise<string | undefined> {
  const installed = await installedTransformers()
  if ('directory' in installed) return installed.directory
  assert.ok(!process.env.CI, installed.reason)
  context.skip(installed.reason)
  return undefined
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { regexService } from './regex-service.ts'

type Run = {
  readonly logMessages: readonly string[]
  readonly became: readonly unknown[]
  readonly pauses: number
  code: number
}

async function serve(args: readonly string[], readyAfter: number): Promise<Run> {
  const logMessages: string[] = []
  const became: unknown[] = []
  let pauses = 0
  const code = await regexService(args, {
    isReady: async () => pauses >= readyAfter,
    logger: { info: (_fields, message) => logMessages.push(message) },
    pause: async () => {
      pauses += 1
    },
    replaceProcess: (taken) => became.push(taken),
  })
  return { logMessages, became, pauses, code }
}

const STARTS = 'processor starts once re2 is there'
const WAITS = 'processor waits for re2 to be built'

test('with re2 the regex service becomes the processor at once, with its arguments', async () => {
  const { logMessages, became, pauses } = await serve(['-o', 'regex_config.json'], 0)
  assert.deepEqual(logMessages, [STARTS])
  assert.deepEqual(became, [['-o', 'regex_config.json']])
  assert.equal(pauses, 0)
})

test('without re2 the regex service reports healthy, says that it waits for re2, and becomes the processor when re2 is built', async () => {
  const { logMessages, became, pauses } = await serve(['-o', 'regex_config.json'], 3)
  assert.deepEqual(logMessages, [STARTS, WAITS])
  assert.equal(became.length, 1)
  assert.equal(pauses, 3)
})

test('with --validate the regex service runs the processor at once, without waiting for re2', async () => {
  assert.deepEqual((await serve(['-o', 'f', '--validate'], 0)).became, [['-o', 'f', '--validate']])
  assert.deepEqual(await serve(['-o', 'f', '--validate'], 1), { logMessages: [], became: [], pauses: 0, code: 0 })
})

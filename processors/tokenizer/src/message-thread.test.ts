import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createThread } from '@llm-gateway/sdk'
import { journalLogger } from '@llm-gateway/sdk/journal-logger-under-test'
import { slowText } from './slow-text-under-test.ts'

// Rules: docs/reference/processors.md#tokenizer

/** Counting takes a minute, in all encodings, where it isn't stopped. */
const SLOW = slowText(16 * 1024 * 1024)
const ENCODINGS = ['gpt2', 'r50k_base', 'p50k_base', 'p50k_edit', 'cl100k_base', 'o200k_base']
/** On a busy machine a thread takes long to start. */
const PATIENT_MS = 120_000

test('a large message that was given up is counted no further, and the next message is', async (t) => {
  const { ask, lines } = launch(t)
  // Before the thread has started, no message is given to it.
  assert.deepEqual(await ask('hello world'), { tokenizer: tokens(2) })
  await assert.rejects(ask(SLOW, 200), { code: 'TIMEOUT' })
  assert.deepEqual(await ask('hello world'), { tokenizer: tokens(2) })
  // No thread was ended.
  assert.deepEqual(lines.entries, [])
})

test('a large message that takes too long is estimated', async (t) => {
  const { ask, lines } = launch(t)
  assert.deepEqual(await ask(SLOW), { tokenizer: { ...tokens(SLOW.length / 4), estimated: true } })
  assert.deepEqual(lines.entries, [])
})

test('a large message is also counted with the encoding of its model', async (t) => {
  const { ask, lines } = launch(t, { by_model: true })
  assert.deepEqual(await ask('hello world'), { tokenizer: { gpt2: 2, o200k_base: 2 } })
  assert.deepEqual(lines.entries, [])
})

function tokens(count: number): Readonly<Record<string, number>> {
  return Object.fromEntries(ENCODINGS.map((name) => [name, count]))
}

/** Starts the thread; `ask` sends it a message with a text, as the SDK does. */
function launch(t: TestContext, settings: object = { routers: [{ router: 'default', encodings: ENCODINGS }] }) {
  const { logger, lines } = journalLogger()
  const data = { ...settings, max_characters: SLOW.length }
  const program = new URL('./message-thread.ts', import.meta.url)
  const thread = createThread({ program, data, name: 'messages', logger })
  t.after(() => thread.close())
  const ask = async (content: string, timeoutMs = PATIENT_MS): Promise<unknown> => {
    const bytes = new TextEncoder().encode(
      JSON.stringify({ ingress_payload: { model: 'gpt-4o', messages: [{ content }] } }),
    )
    const answer = await thread.ask({ bytes, encode: true }, { weight: bytes.length, timeoutMs })
    assert.ok(answer instanceof Uint8Array)
    return JSON.parse(new TextDecoder().decode(answer))
  }
  return { ask, lines }
}

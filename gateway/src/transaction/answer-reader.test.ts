import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createJsonEngine, type JsonEngine } from '../json/json-scan.ts'
import { MemoryAccount, MemoryShare } from '../memory/memory-account.ts'
import { TurnBudget } from '../work/turn-budget.ts'
import { WorkQueue } from '../work/work-queue.ts'
import { AnswerReader } from './answer-reader.ts'
import { OversizedText, payloadJson } from './payload.ts'

// Rules: docs/reference/http.md#memory

setFlagsFromString('--expose-gc')
const collectGarbage: unknown = runInNewContext('gc')

const LIMIT = 1024 * 1024
const EVENT = `data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"${'a'.repeat(30_000)}"}}]}\n\n`

function reading(isStreamed: boolean, keepsBytes: boolean) {
  const json = createJsonEngine()
  const account = new MemoryAccount(LIMIT)
  const memory = account.open('/llm/', new MemoryShare())
  const options = { memory, json, budget: new TurnBudget(), jsonDepth: 100, limitBytes: LIMIT }
  const context = { json, maxBytes: LIMIT, slice: new WorkQueue().begin('/a/'), memory }
  return { account, memory, context, reader: new AnswerReader({ ...options, isStreamed, keepsBytes }) }
}

for (const keepsBytes of [false, true]) {
  test(`a stream without room is recorded by its beginning, with${keepsBytes ? '' : 'out'} its bytes kept`, async () => {
    const { account, memory, context, reader } = reading(true, keepsBytes)
    let most = 0
    for (let count = 0; count < 50; count += 1) {
      reader.add(Buffer.from(EVENT))
      most = Math.max(most, account.heldBytes)
    }
    assert.ok(most <= LIMIT, `${most} bytes`)
    const { payload } = await reader.finish(context)
    const shown = payloadJson(payload)
    assert.ok(shown instanceof OversizedText)
    assert.equal(shown.bytes, 50 * EVENT.length)
    assert.ok(memory.bytes < 8 * 1024, `${memory.bytes} bytes`)
  })
}

test('a text whose form in the record finds no room is recorded by its beginning', async () => {
  const { memory, context, reader } = reading(false, false)
  const text = Buffer.alloc(LIMIT / 4)
  reader.add(text)
  const { payload, isOverloaded } = await reader.finish(context)
  assert.equal(isOverloaded, true)
  const shown = payloadJson(payload)
  assert.ok(shown instanceof OversizedText)
  assert.equal(shown.bytes, text.length)
  assert.ok(memory.bytes < 8 * 1024, `${memory.bytes} bytes`)
})

test('the form of a text in the record counts with its own size', async () => {
  const { memory, context, reader } = reading(false, false)
  const text = Buffer.alloc(100_000, 'a')
  reader.add(text)
  await reader.finish(context)
  assert.equal(memory.bytes, text.length + text.length + 2)
})

test('an answer whose copy is cut is scanned no further', async () => {
  const { memory, context } = reading(false, false)
  const engine = createJsonEngine()
  let scanned = 0
  const json: JsonEngine = {
    ...engine,
    begin: (depth, names) => {
      const scan = engine.begin(depth, names)
      const add = (chunk: Uint8Array): void => {
        scanned += chunk.length
        scan.add(chunk)
      }
      return { add, end: () => scan.end() }
    },
  }
  const options = { memory, json, budget: new TurnBudget(), jsonDepth: 100, isStreamed: false, keepsBytes: false }
  const reader = new AnswerReader({ ...options, limitBytes: 6 })
  for (const piece of ['[1,', '2,3', ',4', ',5]']) reader.add(Buffer.from(piece))
  assert.equal(scanned, 6)
  const { payload } = await reader.finish(context)
  assert.ok(payloadJson(payload) instanceof OversizedText)
})

for (const pieces of [1, 2]) {
  test(`an answer of ${pieces} small pieces keeps none of the buffers in which they came`, async () => {
    const { reader } = reading(false, false)
    const buffers = Array.from({ length: pieces }, () => addFromLargeBuffer(reader))
    await new Promise((resolve) => setImmediate(resolve))
    assert.ok(typeof collectGarbage === 'function')
    collectGarbage()
    assert.deepEqual(
      buffers.map((buffer) => buffer.deref()),
      buffers.map(() => undefined),
    )
    assert.equal(reader.copy.totalBytes, pieces)
  })
}

function addFromLargeBuffer(reader: AnswerReader): WeakRef<WeakKey> {
  const { buffer } = Buffer.alloc(64 * 1024, '1')
  reader.add(Buffer.from(buffer, 0, 1))
  return new WeakRef(buffer)
}

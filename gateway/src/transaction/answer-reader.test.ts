import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createJsonEngine } from '../json/json-scan.ts'
import { MemoryAccount, MemoryShare } from '../memory/memory-account.ts'
import { TurnBudget } from '../work/turn-budget.ts'
import { WorkQueue } from '../work/work-queue.ts'
import { AnswerReader } from './answer-reader.ts'
import { OversizedText, payloadJson } from './payload.ts'

// Rules: docs/reference/http.md#memory

const LIMIT = 1024 * 1024
const EVENT = `data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"${'a'.repeat(30_000)}"}}]}\n\n`

for (const keepsBytes of [false, true]) {
  test(`a stream without room is recorded by its beginning, with${keepsBytes ? '' : 'out'} its bytes kept`, async () => {
    const json = createJsonEngine()
    const account = new MemoryAccount(LIMIT)
    const memory = account.open('/llm/', new MemoryShare())
    const options = { memory, json, budget: new TurnBudget(), jsonDepth: 100, limitBytes: LIMIT }
    const reader = new AnswerReader({ ...options, isStreamed: true, keepsBytes })
    let most = 0
    for (let count = 0; count < 50; count += 1) {
      reader.add(Buffer.from(EVENT))
      most = Math.max(most, account.heldBytes)
    }
    assert.ok(most <= LIMIT, `${most} bytes`)
    const { payload } = await reader.finish({ json, maxBytes: LIMIT, slice: new WorkQueue().begin() })
    const shown = payloadJson(payload)
    assert.ok(shown instanceof OversizedText)
    assert.equal(shown.bytes, 50 * EVENT.length)
    assert.ok(memory.bytes < 8 * 1024, `${memory.bytes} bytes`)
  })
}

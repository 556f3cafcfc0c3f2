import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Header, type HeaderMap } from '../http/headers.ts'
import { MemoryAccount, MemoryShare } from '../memory/memory-account.ts'
import { bodySource } from '../upstream/body-source-under-test.ts'
import { InboundBody } from '../upstream/inbound-body.ts'
import { inboundHeaders } from '../upstream/undici-headers.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { answerHeadMemory } from './answer-head-memory.ts'
import { Mask } from './mask.ts'
import { ResponseSide } from './response-side.ts'
import { transact } from './transact.ts'
import { type Answer, callWith, gatewayWith } from './transact-under-test.ts'

// Rules: docs/reference/http.md#memory

setFlagsFromString('--expose-gc')
const collectGarbage: unknown = runInNewContext('gc')

const KIB = 1024
const HEADS = 30

/** Returns the head of an answer with `lines` lines of `characters` characters, of different names where `differ`. */
function headOf(lines: number, characters: number, differ: boolean): HeaderMap {
  // Buffers, because each answer brings new strings.
  const values = Array.from({ length: lines }, () => Buffer.alloc(characters - 5, 'v').toString('latin1'))
  if (!differ) return inboundHeaders({ repeat: values })
  const names = values.map((value, index): [string, string] => [`n${String(index).padStart(4, '0')}`, value])
  return inboundHeaders(Object.fromEntries(names))
}

const heads: readonly (readonly [name: string, head: () => HeaderMap])[] = [
  ['1,000 short lines', () => headOf(1_000, 8, true)],
  ['1,000 lines of 64 characters', () => headOf(1_000, 64, true)],
  ['1,000 lines of one name', () => headOf(1_000, 64, false)],
  ['one line of 60 KiB', () => headOf(1, 60 * KIB, true)],
]

for (const [name, head] of heads) {
  test(`an answer's head of ${name} takes no more memory than is counted while processors have its fields`, async () => {
    const gateway = gatewayWith(streaming(new Map()).upstream, [], [])
    const made = (): ResponseSide => {
      const memory = gateway.account.open('/llm/', new MemoryShare())
      const headers = head()
      memory.add(answerHeadMemory(headers))
      const runtime = gateway.live.current
      const from = { routePath: '/llm/', originalPath: undefined, mask: new Mask(runtime), memory }
      const answer = { status: 200, headers }
      const side = new ResponseSide(runtime, { ...from, inbound: answer, egress: answer })
      assert.equal(side.fields.size, 6)
      return side
    }
    made()
    const [usedBefore, heldBefore] = [heldByHeap(), gateway.account.heldBytes]
    const sides = Array.from({ length: HEADS }, made)
    const taken = (heldByHeap() - usedBefore) / sides.length
    const counted = (gateway.account.heldBytes - heldBefore) / sides.length
    await gateway.bus.close()
    assert.ok(taken <= counted, `${taken} bytes taken, ${counted} counted`)
  })
}

function heldByHeap(): number {
  assert.ok(typeof collectGarbage === 'function')
  collectGarbage()
  return process.memoryUsage().heapUsed
}

test('a usual head of an answer counts nothing', () => {
  assert.equal(answerHeadMemory(headOf(30, 80, true)), 0)
})

/** Returns an LLM API whose answers begin a stream after this head, and the calls that the gateway ended. */
function streaming(headers: HeaderMap): { readonly upstream: Upstream; readonly ended: string[] } {
  const ended: string[] = []
  const streamed = new Map([...headers, ['content-type', new Header('content-type', ['text/event-stream'])] as const])
  const upstream: Upstream = {
    send: async () => {
      const body = new InboundBody(bodySource({ abort: () => void ended.push('ended') }))
      return { kind: 'answered', inbound: { status: 200, headers: streamed, body } }
    },
    close: async () => undefined,
  }
  return { upstream, ended }
}

test('the head of an answer counts in its call while the answer is open', async () => {
  const headers = headOf(1_000, 64, true)
  const gateway = gatewayWith(streaming(headers).upstream, [], [])
  void transact(callWith([]), gateway)
  for (let turns = 0; turns < 10 && gateway.account.heldBytes === 0; turns += 1) await nextTurn()
  await gateway.bus.close()
  assert.ok(gateway.account.heldBytes >= answerHeadMemory(headers), `${gateway.account.heldBytes} bytes`)
})

test('an answer whose head finds no room ends with OVERLOADED', { timeout: 60_000 }, async () => {
  const { upstream, ended } = streaming(headOf(1_000, 64, true))
  const answers: Answer[] = []
  const gateway = { ...gatewayWith(upstream, [], []), account: new MemoryAccount(100 * KIB) }
  await transact(callWith(answers), gateway)
  await gateway.bus.close()
  assert.deepEqual([answers.map(({ status }) => status), ended], [[503], ['ended']])
  assert.match(answers[0]?.body ?? '', /OVERLOADED/)
  assert.equal(gateway.account.heldBytes, 0)
})

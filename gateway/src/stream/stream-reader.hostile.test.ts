import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createJsonEngine } from '../json/json-scan.ts'
import { TurnBudget } from '../work/turn-budget.ts'
import { chunksOf } from './assembled-under-test.ts'
import { type StreamOutcome, StreamReader } from './stream-reader.ts'

/**
 * The most CPU milliseconds of one `add` or `finish`, some ten times the value of a quiet machine for all but the
 * largest events.
 */
const MAX_MS = 150
const MAX_HELD_BYTES = 40 * 1024 * 1024

const data = (json: string) => `data: ${json}\n\n`
const chunk = (delta: string) => data(`{"object":"chat.completion.chunk","choices":[{"index":0,"delta":${delta}}]}`)
const list = (length: number, item: (index: number) => string) => Array.from({ length }, (_, i) => item(i)).join()
const events = (length: number, event: (index: number) => string) => Array.from({ length }, (_, i) => event(i)).join('')
const times = (text: string, bytes: number) => text.repeat(Math.ceil(bytes / text.length))
const MIB = 1024 * 1024
const LONG_KEY = 'k'.repeat(76)
const LONG_TEXT = `{"content":"${'x'.repeat(10_000)}"}`

const toolStart = (index: number) =>
  data(`{"type":"content_block_start","index":${index},"content_block":{"type":"tool_use","input":{}}}`)
const toolInput = (index: number, json: string) =>
  data(
    `{"type":"content_block_delta","index":${index},"delta":{"type":"input_json_delta","partial_json":${JSON.stringify(json)}}}`,
  )
const toolStop = (index: number) => data(`{"type":"content_block_stop","index":${index}}`)
/** 340 KB of keys that no other block has. */
const toolKeys = (index: number) =>
  `{${list(38_000, (i) => `"${(index * 38_000 + i).toString(36).padStart(4, '0')}":0`)}}`
const blocks =
  data('{"type":"message_start","message":{}}') + events(16, (i) => toolStart(i) + toolInput(i, toolKeys(i)))

const CASES: readonly (readonly [title: string, text: string | Buffer, kind: StreamOutcome['kind']])[] = [
  ['16 MiB of newlines', times('\n', 16 * MIB), 'none'],
  ['16 MiB of CRLF', times('\r\n', 16 * MIB), 'none'],
  ['16 MiB of `data:{}`', times('data:{}\n\n', 16 * MIB), 'none'],
  ['16 MiB of empty data lines', times('data:\n', 16 * MIB), 'none'],
  ['16 MiB of events of no known kind', times('data:{"a":123456}\n\n', 16 * MIB), 'none'],
  ['4 MiB of small events behind a chunk', chunk('{}') + times('data:{"a":123456}\n\n', 4 * MIB), 'message'],
  ['objects that are not JSON', times('data:{aaaaaaaaaaaaaaaa\n\n', MIB), 'beyond bounds'],
  ['36 MiB of chat chunks', times(chunk('{"content":"a"}'), 36 * MIB), 'message'],
  ['texts and parts by turns', times(chunk('{"content":"a"}') + chunk('{"content":[1]}'), 8 * MIB), 'message'],
  ['12 MiB of texts and parts by turns', times(chunk(LONG_TEXT) + chunk('{"content":[1]}'), 12 * MIB), 'beyond bounds'],
  ['a part behind 7 MiB of text', times(chunk(LONG_TEXT), 7 * MIB) + chunk('{"content":[1]}'), 'message'],
  ['an endless comment', `:${'x'.repeat(16 * MIB)}`, 'none'],
  ['an endless line', `data: {${'x'.repeat(16 * MIB)}`, 'beyond bounds'],
  ['an endless event', times(`data: "${'x'.repeat(1_000)}"\n`, 16 * MIB), 'beyond bounds'],
  ['deep nesting', chunk(`{"x":${'['.repeat(600)}${']'.repeat(600)}}`), 'beyond bounds'],
  ['deep nesting without an end', `data: ${'{"a":'.repeat(MIB)}`, 'beyond bounds'],
  ['an index of a billion', chunk('{"content":"a"}').replace('"index":0', '"index":1e9'), 'message'],
  ['a choice for each event', events(20_000, (i) => chunk('{}').replace('"index":0', `"index":${i}`)), 'beyond bounds'],
  [
    '200,000 tool calls',
    events(20, (n) => chunk(`{"tool_calls":[${list(10_000, (i) => `{"index":${n * 10_000 + i}}`)}]}`)),
    'beyond bounds',
  ],
  ['4 MiB of NUL escapes', chunk(`{"content":"${times('\\u0000', 4 * MIB - 200)}"}`), 'message'],
  ['4 MiB of halves of surrogate pairs', chunk(`{"content":"${times('\\ud800', 4 * MIB - 200)}"}`), 'beyond bounds'],
  ['1 MiB of halves of surrogate pairs', chunk(`{"content":"${times('\\ud800', MIB)}"}`), 'message'],
  ['4 MiB of escaped Korean', chunk(`{"content":"${times('\\ud7a3', 4 * MIB - 200)}"}`), 'message'],
  [
    'keys of more than 1 MiB',
    events(4, (n) => chunk(`{${list(300, (i) => `"${n}-${i}${'k'.repeat(1_000)}":1`)}}`)),
    'beyond bounds',
  ],
  [
    'a response with keys of 0.9 MiB, again and again',
    times(
      data(`{"type":"response.created","response":{${list(900, (i) => `"${i}${'k'.repeat(1_000)}":1`)}}}`),
      8 * MIB,
    ),
    'message',
  ],
  ['12 MiB of NUL escapes', times(chunk(`{"content":"${'\\u0000'.repeat(1_000)}"}`), 12 * MIB), 'beyond bounds'],
  ['a million distinct keys', events(100, (n) => chunk(`{${list(10_000, (i) => `"${n}-${i}":1`)}}`)), 'beyond bounds'],
  ['50,000 long keys', chunk(`{${list(50_000, (i) => `"${LONG_KEY}${i}":1`)}}`), 'beyond bounds'],
  [
    'a response of 10,000 long keys, again and again',
    times(
      data(`{"type":"response.created","response":{"x":{${list(10_000, (i) => `"${LONG_KEY}${i}":1`)}}}}`),
      8 * MIB,
    ),
    'message',
  ],
  [
    'a tool input of many values',
    data('{"type":"message_start","message":{"content":[]}}') +
      toolStart(0) +
      times(toolInput(0, `${'['.repeat(400)}${'],'.repeat(400)}`), MIB) +
      toolStop(0),
    'message',
  ],
  ['16 tool inputs of 38,000 keys that end at once', blocks + events(16, toolStop), 'message'],
  ['16 tool inputs of 38,000 keys that end with the stream', blocks, 'message'],
  [
    'invalid UTF-8 in a large event',
    Buffer.concat([Buffer.from('data: {"choices":"'), Buffer.alloc(MIB, 0xff), Buffer.from('"}\n\n')]),
    'beyond bounds',
  ],
]

for (const [title, text, kind] of CASES) {
  test(`stream reader: the outcome of ${title} is ${kind}, in steps of bounded time and memory`, () => {
    const reader = new StreamReader(new TurnBudget(), createJsonEngine())
    let mostMs = 0
    let mostHeld = 0
    const measured = <T>(step: () => T): T => {
      const before = process.threadCpuUsage()
      const result = step()
      const { user, system } = process.threadCpuUsage(before)
      mostMs = Math.max(mostMs, (user + system) / 1000)
      mostHeld = Math.max(mostHeld, reader.heldBytes)
      return result
    }
    for (const piece of chunksOf(Buffer.from(text), 65_536)) measured(() => reader.add(piece))
    const outcome = measured(() => reader.finish())
    assert.equal(outcome.kind, kind)
    assert.ok(mostMs < MAX_MS, `${mostMs} ms`)
    assert.ok(mostHeld < MAX_HELD_BYTES, `${mostHeld} bytes`)
    assert.ok(reader.heldBytes < 10_000)
    if (outcome.kind === 'message') assert.equal(typeof JSON.parse(outcome.json.toString()), 'object')
  })
}

/** Lists of 1 MiB whose white space has to be removed, which takes longer than any other input. */
const spacedInput = `[${'0, '.repeat(349_000)}0]`
const openInputs = [0, 1, 2, 3].map((index) => toolStart(index) + toolInput(index, spacedInput)).join('')
const largeEvent = data(`{"type":"ping","x":"${times('\\ud7a3', 4 * MIB - 200)}"}`)

for (const [title, end, rest] of [
  ['an event of 4 MiB and four tool inputs that end in one chunk', largeEvent.length - 1, events(4, toolStop)],
  ['an event of 4 MiB and four tool inputs that end with the stream', largeEvent.length - 2, undefined],
] as const) {
  test(`stream reader: ${title} take little longer than the event`, () => {
    const before = Buffer.from(largeEvent.slice(0, end))
    const last = rest === undefined ? [] : [Buffer.from(`\n${rest}`)]
    const longest = (inputs: string): number => {
      const reader = new StreamReader(new TurnBudget(), createJsonEngine())
      reader.add(Buffer.from(data('{"type":"message_start","message":{}}') + inputs))
      const steps = [...chunksOf(before, 65_536), ...last].map((piece) => cpuMs(() => reader.add(piece)))
      return Math.max(
        ...steps,
        cpuMs(() => reader.finish()),
      )
    }
    // The smallest cost of some rounds: the first one compiles the code, and a garbage collection may fall into another.
    let aloneMs = Number.POSITIVE_INFINITY
    let bothMs = Number.POSITIVE_INFINITY
    for (let round = 0; round < 8; round += 1) {
      aloneMs = Math.min(aloneMs, longest(''))
      bothMs = Math.min(bothMs, longest(openInputs))
    }
    assert.ok(bothMs < 3 * aloneMs, `${bothMs} ms instead of ${aloneMs} ms`)
  })
}

function cpuMs(step: () => unknown): number {
  const before = process.threadCpuUsage()
  step()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

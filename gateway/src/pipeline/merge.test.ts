import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Instant } from '../clock.ts'
import type { RowProcessor } from '../config/runtime-config.ts'
import { createJsonEngine } from '../json/json-scan.ts'
import { MemoryAccount, MemoryShare } from '../memory/memory-account.ts'
import { WorkQueue } from '../work/work-queue.ts'
import { decodeReply } from './decode-reply.ts'
import type { Fields } from './fields.ts'
import { merge } from './merge.ts'
import type { Side, WriteEffect } from './side.ts'

// Rules: docs/reference/bus.md#reply, docs/reference/bus.md#fields-with-an-effect, docs/reference/bus.md#re-route

const EVERYTHING = ['a', 'b', 'effect', 'ignored', 'session_id', 'processors', 'error', '__proto__', 'gl_path', 'nil']
const instant = new Instant(0, 0)
const work = new WorkQueue()
const reading = { json: createJsonEngine(), slice: work.begin('/a/'), depth: 1_000, memory: { take: () => true } }

type Entry = { readonly modifier?: boolean; readonly async?: boolean; readonly writes?: readonly string[] }

function processor({ modifier = false, async = false, writes = EVERYTHING }: Entry): RowProcessor {
  const lists = { input: { include: undefined, exclude: new Set<string>() }, inputKey: '', routers: undefined }
  const flags = { timeoutMs: 1, modifier, required: false, async, rerouteTo: undefined }
  return { name: 'm', subject: 's', ...lists, ...flags, writes: new Set(writes) }
}

function sideOf(fields: Fields, effects: string[] = []): Side {
  const taken = (name: string): WriteEffect => {
    return ({ value }) => {
      effects.push(name)
      return { kind: 'taken', json: `[${value.json}]` }
    }
  }
  return {
    phase: 'request',
    jsonDepth: reading.depth,
    turnSteps: 1,
    memory: new MemoryAccount(1_000_000).open('/llm/', new MemoryShare()),
    fields,
    effects: new Map<string, WriteEffect>([
      ['effect', taken('effect')],
      ['gl_path', taken('gl_path')],
      ['ignored', () => ({ kind: 'ignored' as const, error: 'why' })],
    ]),
    processors: [],
    processorsAsync: [],
    errors: [],
    control: undefined,
  }
}

type Case = {
  readonly rule: string
  readonly fields?: Readonly<Record<string, string>>
  readonly replies: readonly (readonly [entry: Entry, reply: string])[]
  readonly after: Readonly<Record<string, string>>
  readonly errors?: readonly string[]
}

const modifies = { modifier: true }
const cases: readonly Case[] = [
  { rule: 'an addition adds a missing field', replies: [[{}, '{"a":1}']], after: { a: '1' } },
  { rule: 'an addition replaces nothing', fields: { a: '0' }, replies: [[{}, '{"a":1}']], after: { a: '0' } },
  { rule: 'null counts as not existing', fields: { a: 'null' }, replies: [[{}, '{"a":1}']], after: { a: '1' } },
  { rule: 'false, 0 and "" exist', fields: { a: 'false' }, replies: [[{}, '{"a":1}']], after: { a: 'false' } },
  { rule: 'a modifier adds nothing', replies: [[modifies, '{"a":1}']], after: {} },
  {
    rule: 'a modifier replaces an existing field',
    fields: { a: '0' },
    replies: [[modifies, '{"a":1}']],
    after: { a: '1' },
  },
  {
    rule: 'a modifier does not replace null',
    fields: { a: 'null' },
    replies: [[modifies, '{"a":1}']],
    after: { a: 'null' },
  },
  { rule: 'a modifier may write null', fields: { a: '0' }, replies: [[modifies, '{"a":null}']], after: { a: 'null' } },
  {
    rule: 'the first addition wins',
    replies: [
      [{}, '{"a":1}'],
      [{}, '{"a":2}'],
    ],
    after: { a: '1' },
  },
  {
    rule: 'an addition after an addition of null wins',
    replies: [
      [{}, '{"a":null}'],
      [{}, '{"a":2}'],
    ],
    after: { a: '2' },
  },
  {
    rule: 'the last replacement wins',
    fields: { a: '0' },
    replies: [
      [modifies, '{"a":1}'],
      [modifies, '{"a":2}'],
    ],
    after: { a: '2' },
  },
  {
    rule: 'at the merge a modifier replaces a field that an earlier processor added',
    replies: [
      [{}, '{"a":1}'],
      [modifies, '{"a":2}'],
    ],
    after: { a: '2' },
  },
  {
    rule: 'at the merge a modifier before the addition replaces nothing',
    replies: [
      [modifies, '{"a":2}'],
      [{}, '{"a":1}'],
    ],
    after: { a: '1' },
  },
  { rule: 'only listed names are taken', replies: [[{ writes: ['b'] }, '{"a":1,"b":2}']], after: { b: '2' } },
  { rule: 'an empty list permits no name', replies: [[{ writes: [] }, '{"a":1,"b":2}']], after: {} },
  {
    rule: 'reserved names are refused even if listed',
    replies: [[{}, '{"session_id":1,"processors":[],"error":[],"__proto__":{"x":1},"a":1}']],
    after: { a: '1' },
    errors: ['reserved: session_id', 'reserved: processors', 'reserved: error', 'reserved: __proto__'],
  },
  {
    rule: 'a reserved name that is not listed leaves no error',
    replies: [[{ writes: ['a'] }, '{"session_id":1}']],
    after: {},
  },
  { rule: 'an effect returns the text of its field', replies: [[{}, '{"effect":7}']], after: { effect: '[7]' } },
  {
    rule: 'an effect that refuses a value leaves the field unchanged',
    replies: [[{}, '{"ignored":7}']],
    after: {},
    errors: ['why'],
  },
  {
    rule: 'an async processor has no effect',
    replies: [[{ async: true }, '{"effect":7,"a":1}']],
    after: { a: '1' },
    errors: ['too late: effect'],
  },
  {
    rule: 'a reply without fields changes nothing',
    replies: ['', ' ', '{}', 'x', '[]', 'null'].map((text) => [{}, text]),
    after: {},
  },
  {
    rule: 'a value that is nested too deep is refused',
    replies: [[{}, `{"b":1,"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`]],
    after: { b: '1' },
    errors: ['too deep: a'],
  },
]

async function mergeReplies({ fields = {}, replies }: Case, effects?: string[]): Promise<Side> {
  const side = sideOf(new Map(Object.entries(fields)), effects)
  for (const [entry, reply] of replies) await mergeReply(entry, Buffer.from(reply), side)
  return side
}

async function mergeReply(entry: Entry, bytes: Buffer, side: Side): Promise<void> {
  const by = processor(entry)
  const reply = await decodeReply(reading, bytes, by.writes)
  await merge({ processor: by, reply, start: instant, stop: instant }, side, work)
}

for (const one of cases) {
  test(one.rule, async () => {
    const side = await mergeReplies(one)
    assert.deepEqual(Object.fromEntries(side.fields), one.after)
    assert.deepEqual(
      side.errors,
      (one.errors ?? []).map((details) => ({ name: 'm', details })),
    )
  })
}

test('a caller’s payload that is null, with or without white space, counts as missing', async () => {
  for (const [bytes, taken] of [
    ['null', '1'],
    ['\n null ', '1'],
    ['"null"', undefined],
    ['0', undefined],
  ] as const) {
    const side = sideOf(new Map([['nil', Buffer.from(bytes)]]))
    await mergeReply({}, Buffer.from('{"nil":1}'), side)
    assert.equal(typeof side.fields.get('nil') === 'string' ? side.fields.get('nil') : undefined, taken, bytes)
  }
})

test('within one reply the re-route is applied first, in any order of the names', async () => {
  const effects: string[] = []
  await mergeReplies({ rule: '', replies: [[{}, '{"effect":1,"gl_path":"/b/"}']], after: {} }, effects)
  assert.deepEqual(effects, ['gl_path', 'effect'])
})

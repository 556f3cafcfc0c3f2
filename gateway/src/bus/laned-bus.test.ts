import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Bus } from './bus.ts'
import { LanedBus } from './laned-bus.ts'

// Rules: docs/reference/bus.md#limits, docs/reference/bus.md#alive

/** A lane that notes its name for each call and each answered subject. */
function lane(name: string, noted: string[], reply: (subject: string) => Uint8Array): Bus {
  return {
    connected: true,
    maxPayload: 1_000_000,
    call: async (subject) => {
      noted.push(`${name} ${subject}`)
      return { kind: 'reply', bytes: reply(subject) }
    },
    flush: async () => true,
    onConnected: () => undefined,
    onDisconnected: () => undefined,
    respond: (subject) => void noted.push(`${name} answers ${subject}`),
    close: async () => undefined,
  }
}

const OPTIONS = { timeoutMs: 1, router: '/llm/' }
const SMALL = new Uint8Array(65_536)
const LARGE = new Uint8Array(65_537)

test('large messages take the second lane', async () => {
  const noted: string[] = []
  const bus = new LanedBus(
    lane('one', noted, () => SMALL),
    lane('two', noted, () => SMALL),
  )
  await bus.call('p', SMALL, OPTIONS)
  await bus.call('p', LARGE, OPTIONS)
  await bus.call('p', SMALL, OPTIONS)
  assert.deepEqual(noted, ['one p', 'two p', 'one p'])
})

test('a processor with large replies is called on the second lane for a minute', async () => {
  const noted: string[] = []
  let nowMs = 0
  let reply = LARGE
  const lanes = ['one', 'two'].map((name) => lane(name, noted, (subject) => (subject === 'large' ? reply : SMALL)))
  const [one, two] = lanes
  assert.ok(one !== undefined && two !== undefined)
  const bus = new LanedBus(one, two, () => nowMs)
  for (const subject of ['large', 'large', 'other']) await bus.call(subject, SMALL, OPTIONS)
  reply = SMALL
  nowMs = 59_999
  await bus.call('large', SMALL, OPTIONS)
  nowMs = 60_000
  await bus.call('large', SMALL, OPTIONS)
  assert.deepEqual(noted, ['one large', 'two large', 'one other', 'two large', 'one large'])
})

test('a processor whose late replies are large is called on the second lane', async () => {
  const noted: string[] = []
  const bus = new LanedBus(
    lane('one', noted, () => SMALL),
    lane('two', noted, () => SMALL),
  )
  bus.noteReply('late', LARGE)
  bus.noteReply('small', SMALL)
  await bus.call('late', SMALL, OPTIONS)
  await bus.call('small', SMALL, OPTIONS)
  assert.deepEqual(noted, ['two late', 'one small'])
})

test('other clients of the bus reach the gateway on the second lane', () => {
  const noted: string[] = []
  new LanedBus(
    lane('one', noted, () => SMALL),
    lane('two', noted, () => SMALL),
  ).respond('alive', () => SMALL)
  assert.deepEqual(noted, ['two answers alive'])
})

test('the bus is connected while both lanes are', () => {
  const up = lane('one', [], () => SMALL)
  assert.equal(new LanedBus(up, up).connected, true)
  assert.equal(new LanedBus(up, { ...up, connected: false }).connected, false)
  assert.equal(new LanedBus({ ...up, connected: false }, up).connected, false)
})

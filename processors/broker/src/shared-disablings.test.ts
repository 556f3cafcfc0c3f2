import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Journal } from '@llm-gateway/test/fake/journal'
import { Availability } from './availability.ts'
import { FakeKeyValue } from './key-value-under-test.ts'
import { SharedDisablings } from './shared-disablings.ts'

const DISABLED_MS = 60_000
const HOUR_MS = 3_600_000

/** Makes one replica with its disablings and its messages. */
function replica(context: TestContext, keyValue: FakeKeyValue, now: () => number = () => HOUR_MS) {
  const reported = new Journal<string>()
  const availability = new Availability({
    members: new Set(['/a/', '/b/']),
    disabledMs: DISABLED_MS,
    now,
    disabled: ({ member, reason }) => reported.add(`${member} ${reason}`),
    enabled: (member) => reported.add(`${member} enabled`),
  })
  const shared = new SharedDisablings({ keyValue, availability })
  context.after(async () => {
    availability.close()
    await shared.close()
  })
  const fail = (member: string): void => {
    const disabling = availability.fail(member, 'connection')
    if (disabling !== undefined) shared.publish(disabling)
  }
  return { availability, shared, reported, fail }
}

test('a failure seen by one replica reaches the others with its end time', async (context) => {
  const keyValue = new FakeKeyValue()
  const one = replica(context, keyValue)
  const other = replica(context, keyValue)
  one.fail('/a/')
  assert.deepEqual(await other.reported.waitForCount(1), ['/a/ connection'])
  assert.equal(other.availability.disabledUntil('/a/'), HOUR_MS + DISABLED_MS)
  assert.equal(other.availability.disabledUntil('/b/'), undefined)
})

test('a starting replica reads current disablings and ignores expired disablings', async (context) => {
  const keyValue = new FakeKeyValue()
  const one = replica(context, keyValue)
  one.fail('/a/')
  const soon = replica(context, keyValue, () => HOUR_MS + DISABLED_MS - 1)
  const later = replica(context, keyValue, () => HOUR_MS + DISABLED_MS)
  await Promise.all([soon.shared.ready, later.shared.ready])
  assert.equal(soon.availability.disabledUntil('/a/'), HOUR_MS + DISABLED_MS)
  assert.equal(later.availability.disabledUntil('/a/'), undefined)
  assert.deepEqual(later.reported.entries, [])
})

test('while the store is away a replica uses its own memory and writes it when the store is back', async (context) => {
  const keyValue = new FakeKeyValue()
  const one = replica(context, keyValue)
  const other = replica(context, keyValue)
  keyValue.available = false
  one.fail('/a/')
  one.fail('/a/')
  other.fail('/b/')
  assert.notEqual(one.availability.disabledUntil('/a/'), undefined)
  assert.equal(one.availability.disabledUntil('/b/'), undefined)
  keyValue.available = true
  await one.reported.waitForCount(2)
  await other.reported.waitForCount(2)
  assert.notEqual(one.availability.disabledUntil('/b/'), undefined)
  assert.notEqual(other.availability.disabledUntil('/a/'), undefined)
})

test('current disablings are written again to a store that lost its bucket', async (context) => {
  const keyValue = new FakeKeyValue()
  const one = replica(context, keyValue)
  one.fail('/a/')
  await one.shared.ready
  assert.deepEqual([...keyValue.entries.keys()], ['/a/'])
  keyValue.lose()
  const later = replica(context, keyValue)
  assert.notEqual(later.availability.disabledUntil('/a/'), undefined)
})

test('entries that no broker wrote change nothing', async (context) => {
  const keyValue = new FakeKeyValue()
  const one = replica(context, keyValue)
  const until = HOUR_MS + 1_000
  const strange = [
    '',
    'no JSON',
    '[]',
    'null',
    '{}',
    `{"until":"${until}","reason":"connection"}`,
    `{"until":${until},"reason":"__proto__"}`,
    `{"until":1e400,"reason":"connection"}`,
    `{"until":${HOUR_MS + 10 * DISABLED_MS},"reason":"connection"}`,
    // The main thread would take long to parse a megabyte of objects.
    `{"until":${until},"reason":"connection","more":[${'{},'.repeat(10_000)}{}]}`,
  ]
  for (const value of strange) await keyValue.put('/a/', Buffer.from(value))
  await keyValue.put('/c/', Buffer.from(`{"until":${until},"reason":"connection"}`))
  await keyValue.put('__proto__', Buffer.from(`{"until":${until},"reason":"connection"}`))
  assert.deepEqual(one.availability.disablings, [])
  await keyValue.put('/a/', Buffer.from(`{"until":${until},"reason":"connection"}`))
  assert.equal(one.availability.disabledUntil('/a/'), until)
})

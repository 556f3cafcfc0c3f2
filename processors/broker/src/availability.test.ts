import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Availability } from './availability.ts'

// Rules: docs/reference/processors.md#broker

const DISABLED_MS = 60_000
const HOUR_MS = 3_600_000

function scene(disabledMs = DISABLED_MS) {
  const reported: string[] = []
  const clock = { now: HOUR_MS }
  const availability = new Availability({
    members: new Set(['/a/', '/b/', '__proto__']),
    disabledMs,
    now: () => clock.now,
    disabled: ({ member, reason }) => reported.push(`${member} disabled: ${reason}`),
    enabled: (member) => reported.push(`${member} enabled`),
  })
  return { availability, clock, reported }
}

test('a failure disables a member for DISABLED_TIME', () => {
  const { availability, clock, reported } = scene()
  assert.equal(availability.disabledUntil('/a/'), undefined)
  availability.fail('/a/', 'connection')
  assert.equal(availability.disabledUntil('/a/'), HOUR_MS + DISABLED_MS)
  assert.equal(availability.disabledUntil('/b/'), undefined)
  clock.now += DISABLED_MS - 1
  assert.notEqual(availability.disabledUntil('/a/'), undefined)
  clock.now += 1
  assert.equal(availability.disabledUntil('/a/'), undefined)
  assert.deepEqual(reported, ['/a/ disabled: connection', '/a/ enabled'])
  availability.close()
})

test('a second failure of a disabled member restarts its time and is reported once', () => {
  const { availability, clock, reported } = scene()
  availability.fail('/a/', 'connection')
  clock.now += DISABLED_MS / 2
  availability.fail('/a/', 'server_error')
  clock.now += DISABLED_MS / 2
  assert.equal(availability.disabledUntil('/a/'), clock.now + DISABLED_MS / 2)
  assert.deepEqual(reported, ['/a/ disabled: connection'])
  availability.close()
})

test('only members of pools have a state', () => {
  const { availability, reported } = scene()
  assert.equal(availability.fail('/c/', 'connection'), undefined)
  availability.learn({ member: 'constructor', until: HOUR_MS + 1, reason: 'connection' })
  assert.deepEqual(availability.disablings, [])
  availability.fail('__proto__', 'connection')
  assert.deepEqual(reported, ['__proto__ disabled: connection'])
  availability.close()
})

const lessons = [
  { title: 'ends later than the known disabling', until: DISABLED_MS + 1, now: DISABLED_MS + 1 },
  { title: 'ends sooner than the known disabling', until: DISABLED_MS / 2, now: DISABLED_MS },
  { title: 'is over', until: 0, now: DISABLED_MS },
  { title: 'ends later than a disabling begun now would', until: DISABLED_MS + 31_000, now: DISABLED_MS },
]

for (const { title, until, now } of lessons) {
  test(`a disabling by another replica that ${title} ${until === now ? 'holds' : 'changes nothing'}`, () => {
    const { availability } = scene()
    availability.fail('/a/', 'connection')
    availability.learn({ member: '/a/', until: HOUR_MS + until, reason: 'timeout' })
    assert.equal(availability.disabledUntil('/a/'), HOUR_MS + now)
    availability.close()
  })
}

test('an expired disabling stays expired when another replica reports it', () => {
  const { availability, clock, reported } = scene()
  const disabling = availability.fail('/a/', 'connection')
  clock.now += DISABLED_MS
  assert.ok(disabling !== undefined)
  availability.learn(disabling)
  assert.equal(availability.disabledUntil('/a/'), undefined)
  assert.deepEqual(reported, ['/a/ disabled: connection', '/a/ enabled'])
})

test('the end of a disabling is reported without a call', async () => {
  const { promise, resolve } = Promise.withResolvers<string>()
  const availability = new Availability({
    members: new Set(['/a/']),
    disabledMs: 20,
    now: Date.now,
    disabled: () => undefined,
    enabled: resolve,
  })
  availability.fail('/a/', 'connection')
  // The timer is unreferenced and doesn't keep the process alive while this test waits for it.
  const alive = setInterval(() => undefined, 1_000)
  assert.equal(await promise, '/a/')
  clearInterval(alive)
  availability.close()
})

test('DISABLED_TIME 0 disables no member', () => {
  const { availability, reported } = scene(0)
  availability.fail('/a/', 'connection')
  assert.equal(availability.disabledUntil('/a/'), undefined)
  assert.deepEqual(reported, [])
})

test('any number of members can be disabled at once', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const members = Array.from({ length: 200_000 }, (_, n) => `/${n}/`)
  let now = 0
  let enabled = 0
  const availability = new Availability({
    members: new Set(members),
    disabledMs: DISABLED_MS,
    now: () => now,
    disabled: () => undefined,
    enabled: () => {
      enabled += 1
    },
  })
  for (const member of members) {
    now += 0.001
    availability.fail(member, 'connection')
  }
  now += DISABLED_MS / 2
  availability.fail('/0/', 'connection')
  now += DISABLED_MS / 2
  t.mock.timers.tick(DISABLED_MS)
  assert.equal(enabled, members.length - 1)
  now += DISABLED_MS
  t.mock.timers.tick(DISABLED_MS)
  assert.equal(enabled, members.length)
  availability.close()
})

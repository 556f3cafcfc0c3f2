import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Instant } from '../clock.ts'
import { createIdSource } from './session.ts'

// Rules: docs/reference/sessions.md#ids, docs/reference/sessions.md#header

const clock = { now: () => new Instant(1_763_690_400, 123_456_789) }
const big = '9'.repeat(100)

const joined: readonly (readonly [inbound: string, session: string, transaction: string])[] = [
  ['GATEWAY1_1_2_0', 'GATEWAY1_1_2_0', 'GATEWAY1_1_2_1'],
  ['GATEWAY1_1_2_1', 'GATEWAY1_1_2_0', 'GATEWAY1_1_2_2'],
  ['OTHER_1_2_9', 'OTHER_1_2_0', 'OTHER_1_2_10'],
  ['7_0_0_0', '7_0_0_0', '7_0_0_1'],
  ['A_1_2_9007199254740992', 'A_1_2_0', 'A_1_2_9007199254740993'],
  [`A_1_2_${big}`, 'A_1_2_0', `A_1_2_1${'0'.repeat(100)}`],
  [`A_1_${'2'.repeat(122)}_3`, `A_1_${'2'.repeat(122)}_0`, `A_1_${'2'.repeat(122)}_4`],
]
const invalid = [
  '',
  ' ',
  'x',
  'gateway1_1_2_0',
  'GATEWAY1_1_2',
  'GATEWAY1_1_2_',
  'GATEWAY1_1_2_0_0',
  '_1_2_0',
  'A__2_0',
  'A_1_2_-1',
  'A_1_2_1.5',
  'A_1_2_1e3',
  'A_1_2_0x1',
  ' A_1_2_0',
  'A_1_2_0\n',
  'A_1_2_٣',
  'Ä_1_2_0',
  'A-1-2-0',
  `A_1_${'2'.repeat(123)}_3`,
]

for (const [inbound, sessionId, transactionId] of joined) {
  test(`${inbound.slice(0, 40)} is joined`, () => {
    const ids = createIdSource(clock)
    assert.deepEqual(ids.next('GATEWAY1', [inbound]), { sessionId, transactionId })
    assert.deepEqual(ids.next('GATEWAY1', [inbound]), { sessionId, transactionId }, 'sessions 3: the same once more')
  })
}

for (const inbound of [undefined, [], ['A_1_2_0', 'A_1_2_0'], ...invalid.map((value) => [value])]) {
  test(`${JSON.stringify(inbound)?.slice(0, 40)} starts a session`, () => {
    const { sessionId, transactionId } = createIdSource(clock).next('GATEWAY1', inbound)
    assert.equal(transactionId, sessionId)
    assert.match(sessionId, /^GATEWAY1_1763690400123456789_\d+_0$/)
  })
}

test('ids of the same nanosecond differ, also between two processes with the same gateway_id', () => {
  const [one, other] = [createIdSource(clock), createIdSource(clock)]
  const made = [one, other, one, one, other].map((ids) => ids.next('GATEWAY1', undefined).sessionId)
  assert.equal(new Set(made).size, made.length)
})

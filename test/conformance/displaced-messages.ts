import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { it } from 'node:test'
import type { InstalledSdk } from './installed-sdk.ts'

const PROGRAM = `${import.meta.dirname}/installed/fair_queue.py`
const FULL = `${import.meta.dirname}/installed/full_queue.py`
/** Messages, bytes, and bytes for the oldest message of each router. */
const LIMITS = [100, 1_000, 1_000]

type Message = readonly [name: string, router: string, bytes: number]

const several = (name: string, router: string, { count, bytes }: { readonly count: number; readonly bytes: number }) =>
  Array.from({ length: count }, (_, n): Message => [`${name} ${n}`, router, bytes])

const CASES: readonly (readonly [what: string, messages: readonly Message[], dropped: readonly string[]])[] = [
  [
    'a large single message displaces the flood of another router',
    [...several('flood', '/flood/', { count: 13, bytes: 100 }), ['large', '/other/', 940]],
    ['flood 11', 'flood 12', 'flood 10'],
  ],
  [
    'a flood displaces no single message of another router',
    [['large', '/other/', 940], ...several('flood', '/flood/', { count: 12, bytes: 100 })],
    ['flood 10', 'flood 11'],
  ],
  [
    'large messages of one router displace neither a few messages nor a large one of another router',
    [
      ...several('calm', '/calm/', { count: 3, bytes: 30 }),
      ...several('flood', '/flood/', { count: 3, bytes: 900 }),
      ['other', '/other/', 900],
    ],
    ['flood 2', 'flood 1'],
  ],
  [
    'a message that finds no room in the end displaces none',
    [
      ['large a', '/a/', 800],
      ['large b', '/b/', 800],
      ...several('calm', '/calm/', { count: 3, bytes: 100 }),
      ['large c', '/c/', 800],
    ],
    ['large c'],
  ],
]

/** Registers the tests that the queue of the Python SDK drops the same messages as the SDK for JavaScript. */
export function displacesFloods(sdk: () => { readonly installed: InstalledSdk }): void {
  for (const [what, messages, dropped] of CASES) {
    it(`in a full queue, ${what}`, () => {
      const input = JSON.stringify({ limits: LIMITS, messages })
      const found = JSON.parse(execFileSync(sdk().installed.command, [PROGRAM], { input }).toString())
      assert.deepEqual(found.dropped, dropped)
      assert.equal(found.left.length, messages.length - dropped.length)
      assert.equal(found.bytes, 0)
    })
  }

  it('a message to a full queue costs a look at a few of a thousand routers', () => {
    const { found, count } = JSON.parse(execFileSync(sdk().installed.command, [FULL]).toString())
    const dropped = found.map((one: { readonly dropped: number }) => one.dropped)
    assert.deepEqual([dropped, count], [[1, 1, 1], 1_000])
    for (const { looks } of found) assert.ok(looks < 20, `${looks} looks`)
  })
}

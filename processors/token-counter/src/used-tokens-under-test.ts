import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { UsedTokens } from './caps.ts'

export const ROUTER = '/service/capped/'
export const PERIOD_SECONDS = 120
export const START = 1_763_690_400_000
const WINDOW = START / (PERIOD_SECONDS * 1_000)

export type OpenedTokens = { readonly tokens: UsedTokens } & AsyncDisposable

const counts = (all: Readonly<Record<string, number>>): ReadonlyMap<string, number> => new Map(Object.entries(all))

/** Tests the contract of every store of used tokens, for the routers `ROUTER` and `/__proto__/`. */
export function testUsedTokens(name: string, open: () => Promise<OpenedTokens>): void {
  test(`${name}: added tokens count at once, each field by itself`, async () => {
    await using opened = await open()
    const { tokens } = opened
    tokens.add(ROUTER, WINDOW, counts({ total_tokens: 60, prompt_tokens: 1 }))
    tokens.add(ROUTER, WINDOW, counts({ total_tokens: 40, completion_tokens: 2 }))
    const sum = counts({ total_tokens: 100, prompt_tokens: 1, completion_tokens: 2 })
    assert.deepEqual(tokens.used(ROUTER, WINDOW), sum)
  })

  test(`${name}: nothing is known of other routers and windows`, async () => {
    await using opened = await open()
    const { tokens } = opened
    tokens.add(ROUTER, WINDOW, counts({ total_tokens: 60 }))
    for (const [router, window] of [
      ['/other/', WINDOW],
      ['/__proto__/', WINDOW],
      [ROUTER, WINDOW - 1],
      [ROUTER, WINDOW + 1],
    ] as const) {
      assert.deepEqual(tokens.used(router, window), new Map())
    }
  })

  test(`${name}: a late answer counts in its own window and changes no newer window`, async () => {
    await using opened = await open()
    const { tokens } = opened
    tokens.add(ROUTER, WINDOW, counts({ total_tokens: 1 }))
    tokens.add(ROUTER, WINDOW + 1, counts({ total_tokens: 7 }))
    tokens.add(ROUTER, WINDOW, counts({ total_tokens: 2 }))
    assert.deepEqual(tokens.used(ROUTER, WINDOW), counts({ total_tokens: 3 }))
    assert.deepEqual(tokens.used(ROUTER, WINDOW + 1), counts({ total_tokens: 7 }))
  })

  test(`${name}: of 1,000 windows the two newest are kept`, async () => {
    await using opened = await open()
    const { tokens } = opened
    for (let past = 999; past >= 0; past -= 1) tokens.add(ROUTER, WINDOW - past, counts({ total_tokens: 1 }))
    const kept = Array.from({ length: 1_000 }, (_, past) => tokens.used(ROUTER, WINDOW - past).size)
    assert.deepEqual(kept.slice(0, 3), [1, 1, 0])
    assert.equal(
      kept.reduce((sum, one) => sum + one, 0),
      2,
    )
  })

  test(`${name}: names such as __proto__ are routers and fields like any other`, async () => {
    await using opened = await open()
    const { tokens } = opened
    const named: ReadonlyMap<string, number> = new Map([
      ['__proto__', 3],
      ['constructor', 4],
    ])
    tokens.add('/__proto__/', WINDOW, named)
    tokens.add('/__proto__/', WINDOW, named)
    assert.deepEqual([...tokens.used('/__proto__/', WINDOW).values()], [6, 8])
    assert.deepEqual(tokens.used(ROUTER, WINDOW), new Map())
  })

  test(`${name}: a returned map does not change with later additions`, async () => {
    await using opened = await open()
    const { tokens } = opened
    tokens.add(ROUTER, WINDOW, counts({ total_tokens: 1 }))
    const before = tokens.used(ROUTER, WINDOW)
    tokens.add(ROUTER, WINDOW, counts({ total_tokens: 1 }))
    assert.deepEqual(before, counts({ total_tokens: 1 }))
  })
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertShortTurns } from '@llm-gateway/test/fake/short-turns'
import { parseQuery } from './query.ts'

// Rules: docs/reference/http.md#paths

/** A query's value with the text in which records show it. */
const VALUES: readonly (readonly [raw: string, shown: string])[] = [
  ['a+b%20c', 'a b c'],
  ['%e4%bE%A1%2f', '価/'],
  ['100%', '100%'],
  ['%4', '%4'],
  ['%zz+x', '%zz+x'],
  ['%ff+x', '%ff+x'],
  ['%c0%af', '%c0%af'],
  ['%ed%a0%80', '%ed%a0%80'],
  ['%e4%be', '%e4%be'],
  ['%e4x%be%a1', '%e4x%be%a1'],
]

for (const [raw, shown] of VALUES) {
  test(`the value ${raw} of a query is shown as ${shown}`, () => {
    assert.deepEqual(parseQuery(`q=${raw}`), [{ raw: `q=${raw}`, name: 'q', value: shown }])
  })
}

for (const broken of ['=%', '=%ff', '%ff=%ff']) {
  test(`60 KB of ${broken} take less than a turn of the main thread`, async () => {
    const query = `${broken}&`.repeat(60_000 / (broken.length + 1))
    await assertShortTurns(50, () => {
      const before = process.threadCpuUsage()
      parseQuery(query)
      const { user, system } = process.threadCpuUsage(before)
      return (user + system) / 1_000
    })
  })
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusalLog } from './refusal-log.ts'

test('refused logins of ten seconds share a line with their number', () => {
  const lines: unknown[] = []
  let now = 0
  const refuse = refusalLog({ warn: (fields) => void lines.push(fields) }, () => now)
  for (let login = 0; login < 1_000; login += 1) {
    refuse(login < 5 ? 'WRONG_SECRET' : 'LOCKED')
    now += 100
  }
  assert.equal(lines.length, 10)
  assert.deepEqual(lines.slice(0, 2), [
    { code: 'WRONG_SECRET', logins: 1 },
    { code: 'LOCKED', logins: 100 },
  ])
})

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { errorTable } from './errors.ts'

test('README.md’s table of errors is the gateway’s, both ways', () => {
  const text = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
  const [, section = ''] = text.split(/^## Errors$/m)
  const [table = ''] = section.split(/^## /m)
  const rows = table.split('\n').flatMap((line) => {
    const [, , status, code, type] = line.split('|').map((cell) => cell.trim())
    return /^\d{3}$/.test(status ?? '') ? [`${code} ${status} ${type}`] : []
  })
  const ours = Object.entries(errorTable).map(([code, { status, type }]) => `${code} ${status} ${type}`)
  assert.ok(rows.length > 0)
  assert.deepEqual(rows.sort(), ours.sort())
})

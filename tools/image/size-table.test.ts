import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sizeTable } from './size-table.ts'

test('the table sums the layers and lists the largest dependencies by name', () => {
  const blob = { digest: 'sha256:1', diffId: 'sha256:2' }
  const lines = sizeTable([
    { ...blob, name: 'base', size: 40_000_000, files: [['usr/bin/node', 100_000_000]] },
    {
      ...blob,
      name: 'dependencies',
      size: 2_000_000,
      files: [
        ['app/node_modules/@a/b/x.js', 3_000_000],
        ['app/node_modules/@a/b/y.js', 2_000_000],
        ['app/node_modules/c/node_modules/d/z.js', 1_000_000],
      ],
    },
  ])
  assert.deepEqual(
    lines.map((line) => line.trim().split(/ {2,}/)),
    [
      ['layer', 'packed MB', 'unpacked MB'],
      ['base', '40.0', '100.0'],
      ['dependencies', '2.0', '6.0'],
      ['all', '42.0', '106.0'],
      ['largest'],
      ['usr/bin/node', '100.0'],
      ['node_modules/@a/b', '5.0'],
      ['node_modules/c', '1.0'],
    ],
  )
})

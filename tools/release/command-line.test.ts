import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseCommandLine } from './command-line.ts'

test('a release has a version, a folder and an image', () => {
  const parsed = parseCommandLine(['--version', '1.2.3'])
  assert.deepEqual(parsed, { kind: 'release', version: '1.2.3', out: '.release/1.2.3', hasImage: true })
  const other = parseCommandLine(['--version', '1.2.3-rc.1', '--out', '/x', '--no-image'])
  assert.deepEqual(other, { kind: 'release', version: '1.2.3-rc.1', out: '/x', hasImage: false })
})

const WRONG: readonly (readonly string[])[] = [
  [],
  ['--version', ''],
  ...[
    '1',
    '1.2',
    'v1.2.3',
    '1.2.3.4',
    '01.2.3',
    '1.2.3-',
    '1.2.3-beta',
    '1.2.3-x.1',
    '1.2.3+b',
    '../1.2.3',
    '1.2.3\n',
  ].map((version) => ['--version', version]),
  ['--version', '1.2.3', 'more'],
  ['--other', '1.2.3'],
]

test('other command lines get the usage', () => {
  for (const argv of WRONG) assert.equal(parseCommandLine(argv).kind, 'usage', argv.join(' '))
})

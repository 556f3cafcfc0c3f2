import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseCommandLine } from './command-line.ts'

const lines: readonly (readonly [string, object])[] = [
  ['-o conf.json', { kind: 'run', file: 'conf.json' }],
  ['-o conf.json --validate', { kind: 'validate', file: 'conf.json' }],
  ['--validate -o conf.json', { kind: 'validate', file: 'conf.json' }],
  ['--version', { kind: 'version' }],
  ['--version -o conf.json', { kind: 'version' }],
]
for (const [line, command] of lines) {
  test(`wire 1.2: ${line} is understood`, () => assert.deepEqual(parseCommandLine(line.split(' ')), command))
}

for (const argv of [[], ['--validate'], ['-o'], ['-o', ''], ['-x'], ['conf.json'], ['-o', 'a', 'b']]) {
  test(`wire 1.2: ${JSON.stringify(argv)} is answered with the usage`, () => {
    assert.equal(parseCommandLine(argv).kind, 'usage')
  })
}

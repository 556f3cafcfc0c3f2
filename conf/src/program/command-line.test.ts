import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseCommandLine, parseProcessorCommandLine } from './command-line.ts'

// Rules: docs/reference/configuration-rules.md#where-the-files-are

const lines: readonly (readonly [string, object])[] = [
  ['-o conf.json', { kind: 'run', file: 'conf.json' }],
  ['-o conf.json --validate', { kind: 'validate', file: 'conf.json' }],
  ['--validate -o conf.json', { kind: 'validate', file: 'conf.json' }],
  ['--version', { kind: 'version' }],
  ['--version -o conf.json', { kind: 'version' }],
]
for (const [line, command] of lines) {
  test(`${line} is understood`, () => assert.deepEqual(parseCommandLine(line.split(' ')), command))
}

for (const argv of [[], ['--validate'], ['-o'], ['-o', ''], ['-x'], ['conf.json'], ['-o', 'a', 'b']]) {
  test(`${JSON.stringify(argv)} is answered with the usage`, () => {
    assert.equal(parseCommandLine(argv).kind, 'usage')
  })
}

const processorLines: readonly (readonly [readonly string[], object])[] = [
  [[], { kind: 'run', file: undefined }],
  [['--validate'], { kind: 'validate', file: undefined }],
  [['-o', 'mock.json'], { kind: 'run', file: 'mock.json' }],
  [['-o', 'mock.json', '--validate'], { kind: 'validate', file: 'mock.json' }],
  [['--version'], { kind: 'version' }],
]
for (const [argv, command] of processorLines) {
  test(`a processor needs no file: ${JSON.stringify(argv)} is understood`, () => {
    assert.deepEqual(parseProcessorCommandLine(argv), command)
  })
}

for (const argv of [['-o'], ['-o', ''], ['-x'], ['mock.json']]) {
  test(`a processor answers ${JSON.stringify(argv)} with the usage`, () => {
    assert.equal(parseProcessorCommandLine(argv).kind, 'usage')
  })
}

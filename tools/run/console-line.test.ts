import assert from 'node:assert/strict'
import { test } from 'node:test'
import { consoleLine, parseLogLine } from './console-line.ts'

const lines: ReadonlyArray<readonly [line: string, shown: string | undefined]> = [
  ['{"time":"t","level":"INFO","msg":"adding router","service":"gl"}', undefined],
  ['{"time":"t","level":"ERROR","msg":"gone","service":"gl"}', '  ERROR gl: gone'],
  [
    '{"time":"t","level":"WARN","msg":"odd","service":"gl","fields":{"a":"required:"}}',
    '  WARN gl: odd {"fields":{"a":"required:"}}',
  ],
  ['{"broken":', undefined],
  ['text', undefined],
  ['{}', undefined],
]
for (const [line, shown] of lines) {
  test(`the console shows for ${line}: ${shown ?? 'nothing'}`, () => {
    assert.equal(consoleLine(parseLogLine(line) ?? {}), shown)
  })
}

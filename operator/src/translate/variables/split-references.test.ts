import assert from 'node:assert/strict'
import { test } from 'node:test'
import { splitReferences } from './split-references.ts'

// Rules: docs/reference/kubernetes.md#variables

const cases: readonly (readonly [text: string, expected: readonly string[]])[] = [
  ['', []],
  ['plain', ['plain']],
  ['${A}', ['<A>']],
  ['Bearer ${A}-${B_1}!', ['Bearer ', '<A>', '-', '<B_1>', '!']],
  ['$A', ['$A']],
  ['$${A}', ['$${A}']],
  ['${', ['${']],
  ['${}', ['${}']],
  ['${1A}', ['${1A}']],
  ['$$${A}', ['$$${A}']],
]
for (const [text, expected] of cases) {
  test(`${JSON.stringify(text)} is split into ${JSON.stringify(expected)}`, () => {
    const pieces = splitReferences(text).map((piece) => (piece.kind === 'text' ? piece.text : `<${piece.name}>`))
    assert.deepEqual(pieces, expected)
  })
}

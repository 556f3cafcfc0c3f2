import assert from 'node:assert/strict'
import { test } from 'node:test'
import { distinctNames, escapeText, splitReferences } from './split-references.ts'

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
    const names = expected.filter((piece) => piece.startsWith('<')).map((piece) => piece.slice(1, -1))
    assert.deepEqual([...distinctNames([text, { text }])], names)
    // Splitting the escaped text finds the same names, and no further mark.
    const pattern = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$\{/g
    const marks = [...escapeText(text).matchAll(pattern)].filter(([mark]) => mark !== '$${').map(([, name]) => name)
    assert.deepEqual(marks, names)
  })
}

test('of settings with any number of names only more of them are looked for than an env can define', () => {
  const text = Array.from({ length: 1_000 }, (_, index) => `$${'{'}N${index}}`).join('')
  assert.deepEqual(
    [...distinctNames([{ text }, text])],
    Array.from({ length: 65 }, (_, index) => `N${index}`),
  )
})

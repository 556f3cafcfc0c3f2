import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkGlConfig } from '@llm-gateway/conf'
import { array, constantFrom, assert as holds, pre, property } from 'fast-check'
import { splitReferences } from '../../translate/variables/split-references.ts'
import { resourceText } from './resource-text.ts'

const TEXTS: readonly (readonly [file: string, text: string, names: readonly string[]])[] = [
  ['plain', 'plain', []],
  ['${A}', '${A}', ['A']],
  ['$A', '${A}', ['A']],
  ['a$A', 'a$A', []],
  ['Bearer ${A}-${B}', 'Bearer ${A}-${B}', ['A', 'B']],
  ['$${', '${', []],
  ['$${}', '${}', []],
  ['5$', '5$', []],
  ['$${${A}', '${${A}', ['A']],
]
for (const [file, text, names] of TEXTS) {
  test(`"${file}" of a file is "${text}" in a Router`, () => {
    assert.deepEqual(resourceText(file), { text, names, literals: new Map() })
  })
}

test('a text of the file that would be a reference in a Router gets a variable of its own', () => {
  assert.deepEqual(resourceText('x$${A}y${B}'), {
    text: '${LITERAL_0}${B}',
    names: ['B'],
    literals: new Map([['LITERAL_0', 'x${A}y']]),
  })
})

const VALUES: Readonly<Record<string, string>> = { A: 'one', B: 't$wo' }

test('any text means the same to a gateway in its file and to the operator in a Router', () => {
  const pieces = constantFrom('$', '{', '}', 'A', 'B', '${A}', '$${', '-')
  holds(
    property(array(pieces, { minLength: 1, maxLength: 12 }), (parts) => {
      const written = parts.join('')
      const { text, names, literals } = resourceText(written)
      pre(names.every((name) => Object.hasOwn(VALUES, name)))
      const put = splitReferences(text).map((piece) =>
        piece.kind === 'text' ? piece.text : (literals.get(piece.name) ?? VALUES[piece.name] ?? ''),
      )
      assert.equal(put.join(''), meantByTheGateway(written), written)
    }),
    { numRuns: 2000, seed: 6 },
  )
})

/** Returns a header's value as the gateway's own check reads it. */
function meantByTheGateway(value: string): string | undefined {
  const router = { path: '/a/', outbound: { url: 'https://a.example', headers: { H: [value] } } }
  const check = checkGlConfig(Buffer.from(JSON.stringify({ routers: [router] })), {
    environment: { ...VALUES, NATS_TOKEN: 't' },
  })
  const active = check.kind === 'checked' ? check.config.routers.find(({ path }) => path === '/a/') : undefined
  return active?.kind === 'active' ? active.outbound.headers[0]?.values[0] : undefined
}

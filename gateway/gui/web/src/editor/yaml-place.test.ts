import assert from 'node:assert/strict'
import { test } from 'node:test'
import { yamlPlace } from './yaml-place.ts'

/** `^` marks the cursor. */
const PLACES: Readonly<Record<string, readonly [path: readonly string[], typed: string] | undefined>> = {
  'sp^': [[], 'key'],
  'spec:\n  path: /x/\n  out^\n  env: []\n': [['spec'], 'key'],
  'spec:\n  outbound:\n    # a\n\n    ur^': [['spec', 'outbound'], 'key'],
  'spec:\n  env:\n    - na^': [['spec', 'env', '*'], 'key'],
  'spec:\n  env:\n  - name: A\n  - name: B\n    val^': [['spec', 'env', '*'], 'key'],
  'spec:\n  env:\n  - name: A\n    valueFrom:\n      sec^': [['spec', 'env', '*', 'valueFrom'], 'key'],
  'spec:\n  internal: t^': [['spec'], 'internal'],
  'spec:\n  outbound: {ur^': undefined,
}

for (const [text, wanted] of Object.entries(PLACES)) {
  test(`the place of the cursor in ${JSON.stringify(text)} is ${wanted === undefined ? 'unknown' : wanted.join()}`, () => {
    const place = yamlPlace(text.replace('^', ''), text.indexOf('^'))
    const typed = place?.typed.kind === 'value' ? place.typed.key : place?.typed.kind
    assert.deepEqual(place === undefined ? undefined : [place.path, typed], wanted)
  })
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeManifest, readManifest } from './manifest.ts'
import { mergeManifests } from './merge-manifests.ts'

const ROUTER = `# who to ask: the search team
kind: Router
metadata:
  name: search # stays
  labels: { team: search }
spec:
  path: /search/
  futureField: kept
  outbound:
    # moved in March
    url: https://a.example/
    headers:
      Api-Key: ["\${KEY}"] # from the vault
      X-Flag: ["off"]
  env:
    # of the vault
    - name: KEY
      valueFrom: { secretKeyRef: { name: vault, key: a } }
    - name: OTHER # a text
      value: "1"
`

type Change = {
  readonly at: readonly (string | number)[]
  readonly to: unknown
  readonly lines: Record<string, string>
}

/** Changes by a form, with the lines that must differ afterwards. */
const CHANGES: Readonly<Record<string, Change>> = {
  'a text': {
    at: ['spec', 'outbound', 'url'],
    to: 'https://b.example/',
    lines: { '    url: https://a.example/': '    url: https://b.example/' },
  },
  'a new member': {
    at: ['spec', 'internal'],
    to: true,
    lines: { '      value: "1"': '      value: "1"\n  internal: true' },
  },
  'a removed member': { at: ['spec', 'futureField'], to: undefined, lines: { '  futureField: kept': '' } },
  'a header’s name': {
    at: ['spec', 'outbound', 'headers'],
    to: { Authorization: ['${KEY}'], 'X-Flag': ['off'] },
    lines: { '      Api-Key: ["${KEY}"] # from the vault': '      Authorization: ["${KEY}"] # from the vault' },
  },
  'another header': {
    at: ['spec', 'outbound', 'headers'],
    to: { 'Api-Key': ['${KEY}'], 'X-Flag': ['off'], 'X-New': ['yes'] },
    lines: { '      X-Flag: ["off"]': '      X-Flag: ["off"]\n      X-New: ["yes"]' },
  },
  'a removed element': {
    at: ['spec', 'env'],
    to: [{ name: 'KEY', valueFrom: { secretKeyRef: { name: 'vault', key: 'a' } } }],
    lines: { '    - name: OTHER # a text': '', '      value: "1"': '' },
  },
  'a name in a flow collection': {
    at: ['spec', 'env', 0, 'valueFrom', 'secretKeyRef', 'name'],
    to: 'other',
    lines: {
      '      valueFrom: { secretKeyRef: { name: vault, key: a } }':
        '      valueFrom: {secretKeyRef: {name: other, key: a}}',
    },
  },
}

for (const [what, { at, to, lines }] of Object.entries(CHANGES)) {
  test(`a form that writes ${what} leaves every other line unchanged`, () => {
    const wanted = ROUTER.split('\n')
      .map((line) => lines[line] ?? line)
      .filter((line, index) => line !== '' || index === ROUTER.split('\n').length - 1)
    assert.deepEqual(changeManifest(ROUTER, [...at], to).split('\n'), wanted.join('\n').split('\n'))
  })
}

test('a text that kubectl would read as another type is quoted', () => {
  const changed = changeManifest(ROUTER, ['spec', 'outbound', 'endpoint'], 'off')
  assert.match(changed, /endpoint: "off"/)
  assert.deepEqual(readManifest('a: off\nb: 1:30\nc: 2026-01-01\n'), {
    value: { a: false, b: '1:30', c: '2026-01-01' },
  })
})

test('missing parent objects are created, also in place of other values', () => {
  assert.equal(
    changeManifest('kind: Router\n', ['spec', 'env', 0, 'name'], 'A'),
    'kind: Router\nspec:\n  env:\n    - name: A\n',
  )
  const empty = changeManifest('spec:\n  env:\n  path: /x/\n', ['spec', 'env', 0], { name: 'A' })
  assert.equal(empty, 'spec:\n  env:\n    - name: A\n  path: /x/\n')
})

test('invalid or too large YAML is reported with its line and stays unchanged', () => {
  const broken = readManifest('kind: Router\n  spec: 1\n')
  assert.ok('problem' in broken && broken.problem.line === 1)
  assert.equal(changeManifest('a: [', ['a'], 1), 'a: [')
  assert.ok('problem' in readManifest('a: 1\n---\nb: 2\n'))
  const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefg'.replaceAll(/./g, (name) => {
    const before = String.fromCharCode(name.charCodeAt(0) - 1)
    return `${name}: &${name} [*${before},*${before},*${before},*${before},*${before},*${before},*${before}]\n`
  })}`
  assert.ok('problem' in readManifest(bomb))
})

test('two changes of one manifest are merged into your text, with its comments', () => {
  const theirs = ROUTER.replace('/search/', '/find/').replaceAll(/ *#.*\n/g, '\n')
  const yours = ROUTER.replace('https://a.example/', 'https://b.example/')
  const { text, clashes } = mergeManifests({ base: ROUTER, theirs, yours })
  assert.deepEqual(clashes, [])
  assert.equal(text, yours.replace('/search/', '/find/'))
})

test('a place that both changed is reported, and keeps your value', () => {
  const theirs = ROUTER.replace('https://a.example/', 'https://c.example/')
  const yours = ROUTER.replace('https://a.example/', 'https://b.example/')
  assert.deepEqual(mergeManifests({ base: ROUTER, theirs, yours }), { text: yours, clashes: ['spec.outbound.url'] })
})

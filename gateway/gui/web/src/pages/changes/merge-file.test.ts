import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mergeFile } from './merge-file.ts'
import { mergeText } from './merge-text.ts'

const BASE = `{
  "log_level": "INFO",
  "masked": ["Api-Key", "Cookie"],
  "routers": [
    { "path": "/a/", "outbound": { "url": "https://a/" } },
    { "path": "/b/", "outbound": { "url": "https://b/" } },
    { "path": "/c/", "outbound": { "url": "https://c/" } }
  ]
}
`

test('changes of different places are merged in the layout of the file', () => {
  const theirs = BASE.replace('INFO', 'DEBUG').replace('https://c/', 'https://theirs/')
  const yours = BASE.replace('https://b/', 'https://yours/')
  const { text, clashes } = mergeFile('gl_config.json', { base: BASE, theirs, yours })
  assert.equal(text, theirs.replace('https://b/', 'https://yours/'))
  assert.deepEqual(clashes, [])
})

test('a place that both changed keeps your value and is reported, and their other changes are merged', () => {
  const theirs = BASE.replace('INFO', 'DEBUG').replace('https://b/', 'https://theirs/')
  const yours = BASE.replace('https://b/', 'https://yours/')
  const { text, clashes, line } = mergeFile('gl_config.json', { base: BASE, theirs, yours })
  assert.equal(text, yours.replace('INFO', 'DEBUG'))
  assert.deepEqual(clashes, [['routers', 1, 'outbound', 'url']])
  assert.equal(line, 6)
})

test('two changed values of one line are merged, in a plain layout', () => {
  const theirs = BASE.replace('"/a/"', '"/theirs/"')
  const yours = BASE.replace('https://a/', 'https://yours/')
  const { text, clashes } = mergeFile('gl_config.json', { base: BASE, theirs, yours })
  assert.deepEqual(clashes, [])
  assert.deepEqual(JSON.parse(text).routers[0], { path: '/theirs/', outbound: { url: 'https://yours/' } })
})

test('a line that was added right behind a changed line appears once', () => {
  const theirs = BASE.replace('"INFO",', '"DEBUG",')
  const yours = BASE.replace('"INFO",', '"INFO",\n  "gl_port": 0,')
  const { text } = mergeFile('gl_config.json', { base: BASE, theirs, yours })
  assert.equal(text, yours.replace('INFO', 'DEBUG'))
})

test('routers that both people added at the end are kept', () => {
  const added = (path: string) =>
    BASE.replace(
      '"https://c/" } }',
      `"https://c/" } },\n    { "path": "${path}", "outbound": { "url": "https://d/" } }`,
    )
  const { text } = mergeFile('gl_config.json', { base: BASE, theirs: added('/theirs/'), yours: added('/yours/') })
  const paths = JSON.parse(text).routers.map(({ path }: { readonly path: string }) => path)
  assert.deepEqual(paths, ['/a/', '/b/', '/c/', '/theirs/', '/yours/'])
})

for (const { name, theirs, yours, text, clash } of [
  { name: 'lines far apart', theirs: 'A\nb\nc\nd', yours: 'a\nb\nc\nD', text: 'A\nb\nc\nD', clash: undefined },
  { name: 'the same change', theirs: 'a\nX\nc\nd', yours: 'a\nX\nc\nd', text: 'a\nX\nc\nd', clash: undefined },
  { name: 'the same line', theirs: 'a\nX\nc\nd', yours: 'a\nY\nc\nd', text: 'a\nY\nc\nd', clash: 2 },
  { name: 'lines beside each other', theirs: 'a\nX\nc\nd', yours: 'a\nb\nY\nd', text: 'a\nb\nY\nd', clash: 2 },
  {
    name: 'a line each at both ends',
    theirs: '0\na\nb\nc\nd',
    yours: 'a\nb\nc\nd\ne',
    text: '0\na\nb\nc\nd\ne',
    clash: undefined,
  },
  { name: 'deleted lines', theirs: 'b\nc\nd', yours: 'a\nb\nc', text: 'b\nc', clash: undefined },
  { name: 'everything else', theirs: 'x', yours: 'y', text: 'y', clash: 1 },
] as const)
  test(`a merge of texts: ${name}`, () => {
    assert.deepEqual(mergeText({ base: 'a\nb\nc\nd', theirs, yours }, 1), { text, clash })
  })

test('lines that you insert next to lines that the other side changed are a clash and stay', () => {
  const merged = mergeText({ base: 'a\nb\nc\nd', theirs: 'A\nB\nC\nd', yours: 'a\nb\nc\nNEW\nd' }, 1)
  assert.deepEqual(merged, { text: 'a\nb\nc\nNEW\nd', clash: 1 })
  const before = mergeText({ base: 'a\nb\nc\nd', theirs: 'a\nB\nC\nD', yours: 'a\nNEW\nb\nc\nd' }, 1)
  assert.deepEqual(before, { text: 'a\nNEW\nb\nc\nd', clash: 2 })
  const apart = mergeText({ base: 'a\nb\nc\nd', theirs: 'A\nb\nc\nd', yours: 'a\nb\nc\nNEW\nd' }, 1)
  assert.deepEqual(apart, { text: 'A\nb\nc\nNEW\nd', clash: undefined })
})

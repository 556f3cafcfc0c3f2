import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isJson } from './json-check.ts'

const WHOLE = [
  '{}',
  ' [ ] ',
  '{"a":[1,-0,2.5e-3,true,false,null,{"b":"\\u00e9\\n\\"\\\\/"}],"ä":"€😀"}\n',
  '0',
  '"x"',
  'null',
]
const BROKEN = ['', ' ', '01', '1.', '-', '+1', '.5', '1e', 'tru', 'True', 'nul l', 'NaN', '"a', '"\\x"', '"\\u12g4"']
const BROKEN_TOO = ['"\t"', '{', '}', '[1,]', '[,1]', '{"a"}', '{"a":}', '{"a":1,}', '{a:1}', '[1}', '{"a":1]', '1 2']

/** Returns the verdict of JSON.parse. */
function parses(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

test('the check agrees with JSON.parse, also after any change of one character', async () => {
  for (const text of [...WHOLE, ...BROKEN, ...BROKEN_TOO])
    assert.equal(await isJson(Buffer.from(text)), parses(text), text)
  for (const text of WHOLE) assert.equal(await isJson(Buffer.from(text)), true, text)
  const [seed = ''] = WHOLE.slice(2)
  for (let at = 0; at < seed.length; at += 1) {
    for (const other of ['', ...'{}[],:"\\0159.eE+-truefalsnx \n\u0000']) {
      for (const removed of [0, 1, 2]) {
        const text = `${seed.slice(0, at)}${other}${seed.slice(at + removed)}`.toWellFormed()
        assert.equal(await isJson(Buffer.from(text)), parses(text), JSON.stringify(text))
      }
    }
  }
})

test('invalid UTF-8 and endless brackets are not JSON; a long text is checked in slices', async () => {
  assert.equal(await isJson(Buffer.from([0x22, 0xff, 0x22])), false)
  assert.equal(await isJson(Buffer.from('['.repeat(10_000_000))), false)
  assert.equal(await isJson(Buffer.from(`${'['.repeat(50_000)}${']'.repeat(50_000)}`)), true)
  let turns = 0
  const counting = setInterval(() => (turns += 1), 0)
  assert.equal(await isJson(Buffer.from(JSON.stringify({ long: 'x"'.repeat(2 * 1024 * 1024) }))), true)
  clearInterval(counting)
  assert.ok(turns > 1, `${turns} turns`)
})

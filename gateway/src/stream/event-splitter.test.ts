import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { chunksOf } from './assembled-under-test.ts'
import { EventSplitter } from './event-splitter.ts'

const CASES: readonly (readonly [title: string, text: string, events: readonly string[]])[] = [
  ['an event ends at a blank line', 'data: a\n\ndata: b\n\n', ['a', 'b']],
  ['lines end with LF, CR or CRLF, in any mix', 'data: a\r\ndata: b\rdata: c\n\r\n', ['a\nb\nc']],
  ['two CR are two line ends', 'data: a\r\rdata: b\r\r', ['a', 'b']],
  ['CR and LF together are one line end', 'data: a\r\ndata: b\r\n\r\n', ['a\nb']],
  ['several data lines are joined by LF', 'data: a\ndata:\ndata: b\n\n', ['a\n\nb']],
  ['one space after the colon is dropped, a second one stays', 'data:  a\ndata:b\n\n', [' a\nb']],
  ['a field without a colon has an empty value', 'data\n\n', ['']],
  ['an event without data is dropped', 'event: x\n\ndata: a\n\n', ['a']],
  ['comments and other fields are ignored', ': ping\nretry: 3\nid: 7\nfoo: b\nevent: e\ndata: a\n\n', ['a']],
  ['a field name is compared exactly', 'Data: a\n data: b\ndat: c\ndataa: d\n\ndata: e\n\n', ['e']],
  ['one byte order mark at the start is dropped', '\ufeffdata: a\n\n', ['a']],
  ['a second byte order mark is part of the field name', '\ufeff\ufeffdata: a\n\n', []],
  ['a stream that broke off gives its incomplete last event', 'data: a\n\ndata: {"b', ['a', '{"b']],
  ['a broken-off line end is tolerated', 'event: x\ndata: a\r', ['a']],
  ['an incomplete data line without a value counts as a line', 'data: a\ndata', ['a\n']],
  ['colons in the value are kept', 'data: a: b\n\n', ['a: b']],
  ['an empty text has no events', '', []],
  ['Unicode line separators do not end a line', 'data: a\u2028b\u0085c\n\n', ['a\u2028b\u0085c']],
  ['characters of several bytes stay whole', 'data: äöü 日本語 😀\n\ndata: b\n\n', ['äöü 日本語 😀', 'b']],
  [
    'long lines end like short lines',
    `data: ${'x'.repeat(99)}\rdata: ${'y'.repeat(99)}\n\n`,
    [`${'x'.repeat(99)}\n${'y'.repeat(99)}`],
  ],
]

function split(chunks: readonly Buffer[]): readonly string[] {
  const events: string[] = []
  const splitter = new EventSplitter(({ text, bytes, start, end, isAscii }) => {
    const data = bytes.toString('utf8', start, end)
    events.push(data)
    assert.equal(bytes.toString('latin1', start, end), text?.slice(start, end) ?? bytes.toString('latin1', start, end))
    if (isAscii) assert.match(data, /^[\0-\x7f]*$/)
  })
  for (const chunk of chunks) splitter.add(chunk)
  splitter.finish()
  assert.equal(splitter.heldBytes, 0)
  return events
}

for (const [title, text, events] of CASES) {
  test(`event streams: ${title}`, () => {
    const bytes = Buffer.from(text)
    assert.deepEqual(split([bytes]), events)
    assert.deepEqual(split(chunksOf(bytes, 1)), events)
    for (let at = 0; at <= bytes.length; at++) {
      assert.deepEqual(split([bytes.subarray(0, at), Buffer.alloc(0), bytes.subarray(at)]), events, `cut at ${at}`)
    }
  })
}

/** A short implementation of the same rules for a whole text. */
function expected(text: string): readonly string[] {
  const events: string[] = []
  let data: string[] = []
  const end = () => {
    if (data.length > 0) events.push(data.join('\n'))
    data = []
  }
  for (const line of text.replace(/^\ufeff/, '').split(/\r\n|\r|\n/)) {
    const field = /^data(?:: ?(?<value>.*))?$/su.exec(line)
    if (line === '') end()
    else if (field !== null) data.push(field.groups?.value ?? '')
  }
  end()
  return events
}

test('event streams: any bytes in any chunks give the events of the whole text', () => {
  const word = fc.constantFrom(
    'data',
    'data:',
    ': ',
    '\n',
    '\r',
    '\r\n',
    'event: a',
    '\ufeff',
    'é',
    '😀',
    '[DONE]',
    '{"a":1}',
    ' ',
    'x'.repeat(40),
  )
  fc.assert(
    fc.property(fc.array(word, { maxLength: 30 }), fc.array(fc.nat(40), { maxLength: 20 }), (words, sizes) => {
      const bytes = Buffer.from(words.join(''))
      const chunks: Buffer[] = []
      let at = 0
      for (const size of sizes) {
        chunks.push(bytes.subarray(at, at + size))
        at += size
      }
      assert.deepEqual(split([...chunks, bytes.subarray(at)]), expected(bytes.toString()))
    }),
    { numRuns: 2_000 },
  )
})

test('event streams: ignored lines aren’t held', () => {
  const splitter = new EventSplitter(() => undefined)
  for (const line of [': ', 'id: ', 'event: ']) {
    splitter.add(Buffer.from(line))
    for (let i = 0; i < 100; i++) splitter.add(Buffer.alloc(65_536, 'x'))
    splitter.add(Buffer.from('\n'))
  }
  assert.equal(splitter.heldBytes, 0)
})

for (const [title, chunk] of [
  ['line', 'x'.repeat(65_536)],
  ['event of short lines', `\ndata: ${'x'.repeat(50)}`.repeat(1_000)],
] as const) {
  test(`event streams: an endless ${title} of data is dropped beyond 4 MiB`, () => {
    const splitter = new EventSplitter(() => assert.fail('no event ends'))
    splitter.add(Buffer.from('data: '))
    let most = 0
    for (let i = 0; i < 100; i++) {
      splitter.add(Buffer.from(chunk))
      most = Math.max(most, splitter.heldBytes)
    }
    assert.equal(splitter.isBeyondBounds, true)
    assert.equal(splitter.heldBytes, 0)
    assert.ok(most > 3_000_000 && most <= 4_200_000, `${most}`)
  })
}

test('event streams: the memory of a large event is freed after the event', () => {
  let bytes = 0
  const splitter = new EventSplitter(({ start, end }) => {
    bytes += end - start
  })
  for (const chunk of chunksOf(Buffer.from(`data: ${'x'.repeat(3_000_000)}\n\ndata: b\n\n`), 65_536))
    splitter.add(chunk)
  assert.equal(bytes, 3_000_001)
  assert.ok(splitter.heldBytes <= 65_536)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type SseEvent, sseEvents } from './sse-events.ts'

const message = (data: string): SseEvent => ({ event: 'message', data })

const CASES: readonly (readonly [title: string, text: string, events: readonly SseEvent[]])[] = [
  ['an event ends at a blank line', 'data: a\n\ndata: b\n\n', [message('a'), message('b')]],
  ['lines end with LF, CR or CRLF, mixed as they come', 'data: a\r\ndata: b\rdata: c\n\r\n', [message('a\nb\nc')]],
  ['two CR are two line ends', 'data: a\r\rdata: b\r\r', [message('a'), message('b')]],
  ['CR and LF together are one line end', 'data: a\r\ndata: b\r\n\r\n', [message('a\nb')]],
  ['several data lines are joined by LF', 'data: a\ndata:\ndata: b\n\n', [message('a\n\nb')]],
  ['one space after the colon is dropped, a second one stays', 'data:  a\ndata:b\n\n', [message(' a\nb')]],
  ['a field without a colon has an empty value', 'data\n\n', [message('')]],
  ['an event without data is not dispatched and its name is forgotten', 'event: x\n\ndata: a\n\n', [message('a')]],
  ['the last name of an event wins', 'event: x\nevent: y\ndata: a\n\n', [{ event: 'y', data: 'a' }]],
  ['comments and unknown fields are ignored', ': ping\nretry: 3\nid: 7\nfoo: b\ndata: a\n\n', [message('a')]],
  ['a field name is compared exactly', 'Data: a\n data: b\n\ndata: c\n\n', [message('c')]],
  ['one byte order mark at the start is dropped', '\ufeffdata: a\n\n', [message('a')]],
  ['a second byte order mark is part of the field name', '\ufeff\ufeffdata: a\n\n', []],
  [
    'a stream that broke off gives its last event, torn as it is',
    'data: a\n\ndata: {"b',
    [message('a'), message('{"b')],
  ],
  ['a broken-off line end is tolerated', 'event: x\ndata: a\r', [{ event: 'x', data: 'a' }]],
  ['colons in the value stay', 'data: a: b\n\n', [message('a: b')]],
  ['an empty text has no events', '', []],
  ['line separators of Unicode end no line', 'data: a\u2028b\u0085c\n\n', [message('a\u2028b\u0085c')]],
]

for (const [title, text, events] of CASES) {
  test(`event streams: ${title}`, () => assert.deepEqual([...sseEvents(text)], events))
}

test('event streams: the time is linear to the text, whatever ends its lines', () => {
  // Quadratic searching takes minutes on these.
  for (const end of ['\n', '\r', '\r\n']) {
    const text = `data: a${end}${end}`.repeat(300_000)
    const begin = performance.now()
    let count = 0
    for (const _ of sseEvents(text)) count++
    assert.equal(count, 300_000)
    assert.ok(performance.now() - begin < 60_000)
  }
})

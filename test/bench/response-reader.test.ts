import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ReadResponse, ResponseReader } from './response-reader.ts'

const CASES: readonly { readonly title: string; readonly text: string; readonly expected: readonly ReadResponse[] }[] =
  [
    {
      title: 'two sized answers',
      text: 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nabHTTP/1.1 404 No\r\ncontent-length: 0\r\nConnection: close\r\n\r\n',
      expected: [
        { status: 200, bodyBytes: 2, closes: false },
        { status: 404, bodyBytes: 0, closes: true },
      ],
    },
    {
      title: 'a chunked answer with a trailer, then a sized answer',
      text: 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\na;x=1\r\n0123456789\r\n0\r\nX: y\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nz',
      expected: [
        { status: 200, bodyBytes: 13, closes: false },
        { status: 200, bodyBytes: 1, closes: false },
      ],
    },
    {
      title: 'a 100 before the answer',
      text: 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 1\r\n\r\nz',
      expected: [{ status: 201, bodyBytes: 1, closes: false }],
    },
  ]

for (const { title, text, expected } of CASES) {
  test(`${title}, in one piece or in pieces of 1, 2, 3 or 7 bytes`, () => {
    for (const piece of [text.length, 1, 2, 3, 7]) {
      const responses: ReadResponse[] = []
      let firstBytes = 0
      const reader = new ResponseReader({
        firstByte: () => {
          firstBytes += 1
        },
        end: (response) => responses.push(response),
      })
      for (let at = 0; at < text.length; at += piece) reader.take(Buffer.from(text.slice(at, at + piece)))
      assert.deepEqual(responses, expected)
      assert.equal(firstBytes, expected.filter(({ bodyBytes }) => bodyBytes > 0).length)
    }
  })
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FirstHead } from './first-head.ts'

function headOf(text: string): FirstHead | undefined {
  return FirstHead.of(Buffer.from(text, 'latin1'))
}

test('a complete head has its target and its headers, whatever follows', () => {
  const head = headOf(
    'POST /a/b?c=d HTTP/1.1\r\nHost: x\r\nApi-Key:\t key \r\nX: 1\r\nx: 2\r\n\r\nGET / HTTP/1.1\r\n\r\n',
  )
  assert.equal(head?.target, '/a/b?c=d')
  const headers = [...(head?.headersOf(new Set(['api-key', 'x'])).values() ?? [])].map(({ lower, values }) => [
    lower,
    ...values,
  ])
  assert.deepEqual(headers, [
    ['api-key', 'key'],
    ['x', '1', '2'],
  ])
})

const OTHERS = {
  'no bytes': '',
  'a part of a head': 'POST /a/ HTTP/1.1\r\nHost: x\r\n',
  'an empty line before the head': '\r\n\r\nPOST /a/ HTTP/1.1\r\n\r\n',
  'bytes that are no head': '\0\0\0\r\n\r\n',
  'a line without a target': 'POST  HTTP/1.1\r\n\r\n',
}

for (const [name, text] of Object.entries(OTHERS))
  test(`there is no head in ${name}`, () => {
    assert.equal(headOf(text), undefined)
  })

test('a line without a colon is no header, and other names are left out', () => {
  assert.deepEqual(
    [
      ...(headOf('GET / HTTP/1.1\r\nnothing\r\nA:b\r\nC:d\r\n\r\n')
        ?.headersOf(new Set(['a', 'nothing']))
        .keys() ?? []),
    ],
    ['a'],
  )
})

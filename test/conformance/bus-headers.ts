import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { it } from 'node:test'
import { headOf, manyNames } from '../fake/publish-head.ts'
import type { InstalledSdk } from './installed-sdk.ts'

const PROGRAM = `${import.meta.dirname}/installed/bus_headers.py`

const HEADS: readonly (readonly [what: string, head: Uint8Array, headers: Readonly<Record<string, string>>])[] = [
  ['two headers', headOf('Wanted: 1', 'Other:2'), { Wanted: '1', Other: '2' }],
  ['the first of two values', headOf('Wanted: 1', 'Wanted: 2'), { Wanted: '1' }],
  ['a value without the white space around it', headOf('Wanted: \t 1 2  '), { Wanted: '1 2' }],
  ['an empty value', headOf('Wanted:'), { Wanted: '' }],
  ['a value in UTF-8', headOf('Wanted: é'), { Wanted: 'é' }],
  ['a header behind invalid ones', headOf('A B: x', ': x', 'ä: x', 'none', '', 'Wanted: 1'), { Wanted: '1' }],
  ['no value with an end of a line', headOf('Wanted: 1\n2', 'Other: 1\r2'), {}],
  ['a status of the server', Buffer.from('NATS/1.0 503\r\n\r\n'), { Status: '503' }],
  [
    'a status with a description and a header',
    Buffer.from('NATS/1.0 100 Idle Heartbeat\r\nWanted: 1\r\n\r\n'),
    { Status: '100', Description: 'Idle Heartbeat', Wanted: '1' },
  ],
  ['no header in place of the status', Buffer.from('NATS/1.0 503\r\nStatus: 200\r\n\r\n'), { Status: '503' }],
  ['no status that is no number', Buffer.from('NATS/1.0 abc\r\nWanted: 1\r\n\r\n'), { Wanted: '1' }],
  ['no header behind 8 KiB', headOf(`Long: ${'x'.repeat(8_192)}`, 'Wanted: 1'), {}],
  ['no header that the bound of 8 KiB cuts', headOf(`Wanted: ${'1'.repeat(8_192)}`), {}],
  ['nothing in bytes without a line', Buffer.from([0xff, 0xfe]), {}],
  ['nothing in no bytes', Buffer.alloc(0), {}],
]

/** Registers the test that the Python SDK reads any headers, and no more than 8 KiB and 64 lines of them. */
export function readsBusHeaders(sdk: () => { readonly installed: InstalledSdk }): void {
  const read = (heads: readonly Uint8Array[]): unknown => {
    const input = JSON.stringify(heads.map((head) => Buffer.from(head).toString('base64')))
    return JSON.parse(execFileSync(sdk().installed.command, [PROGRAM], { input }).toString())
  }
  it('the reader of bus headers finds valid ones, and reads the status of the first line', () => {
    const wanted = Object.fromEntries(HEADS.map(([what, , headers]) => [what, headers]))
    const found = read(HEADS.map(([, head]) => head))
    assert.ok(Array.isArray(found))
    assert.deepEqual(Object.fromEntries(HEADS.map(([what], index) => [what, found[index]])), wanted)
  })

  it('the reader of bus headers reads 64 lines', () => {
    const found = read([headOf(manyNames(62), 'Wanted: 1'), headOf(manyNames(63), 'Wanted: 1')])
    assert.ok(Array.isArray(found))
    assert.deepEqual(
      found.map((headers) => [Object.keys(headers).length, headers.Wanted]),
      [
        [63, '1'],
        [63, undefined],
      ],
    )
  })
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readServerLine } from './server-line.ts'
import { ServerLines } from './server-lines.ts'

test('every line of a server is understood, what is none of its lines is an error', () => {
  const info = { maxPayload: 1_000, headers: true, tls: false }
  const cases: readonly (readonly [string, ReturnType<typeof readServerLine>])[] = [
    ['INFO {"max_payload":1000,"headers":true}', { kind: 'info', info }],
    [
      'INFO {"max_payload":1000,"headers":true,"ldm":true,"tls_available":true}',
      { kind: 'info', info: { ...info, tls: true } },
    ],
    ['INFO {"tls_required":true}', { kind: 'info', info: { maxPayload: undefined, headers: false, tls: true } }],
    ['INFO {"max_payload":-1}', { kind: 'info', info: { maxPayload: undefined, headers: false, tls: false } }],
    ['INFO {', { kind: 'error', code: 'BUS_FAILED' }],
    ['INFO null', { kind: 'error', code: 'BUS_FAILED' }],
    ['PING', { kind: 'ping' }],
    ['pong ', { kind: 'pong' }],
    ['+OK', { kind: 'ok' }],
    [
      '-ERR \'Permissions Violation for Publish to "llm.gl.logger"\'',
      { kind: 'refused subject', subject: 'llm.gl.logger' },
    ],
    ["-ERR 'Authorization Violation'", { kind: 'error', code: 'BUS_UNAUTHORIZED' }],
    ["-ERR 'Authentication Timeout'", { kind: 'error', code: 'BUS_UNAUTHORIZED' }],
    ["-ERR 'User Authentication Expired'", { kind: 'error', code: 'BUS_UNAUTHORIZED' }],
    ["-ERR 'Maximum Payload Violation'", { kind: 'error', code: 'BUS_MAX_PAYLOAD' }],
    ["-ERR 'Secure Connection - TLS Required'", { kind: 'error', code: 'BUS_TLS' }],
    ["-ERR 'Stale Connection'", { kind: 'error', code: 'BUS_STALE' }],
    ["-ERR 'Parser Error'", { kind: 'error', code: 'BUS_FAILED' }],
    ['MSG a 1 3', { kind: 'error', code: 'BUS_FAILED' }],
    ['HTTP/1.1 400 Bad Request', { kind: 'error', code: 'BUS_FAILED' }],
    ['', { kind: 'error', code: 'BUS_FAILED' }],
  ]
  for (const [line, expected] of cases) assert.deepEqual(readServerLine(line), expected, line)
})

test('lines come whole however they are split, and one that never ends is given up', () => {
  const text = 'INFO {}\r\nPING\r\nPONG\r\n'
  for (let at = 0; at <= text.length; at++) {
    const lines = new ServerLines()
    const taken = [text.slice(0, at), text.slice(at)].map((part) => lines.take(Buffer.from(part)) ?? ['too long'])
    assert.deepEqual(taken.flat(), ['INFO {}', 'PING', 'PONG'])
  }
  const endless = new ServerLines()
  const counts = Array.from({ length: 6 }, () => endless.take(Buffer.alloc(64 * 1024, 'x'))?.length)
  assert.deepEqual(counts, [0, 0, 0, 0, undefined, undefined])
})

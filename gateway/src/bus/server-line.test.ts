import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readServerLine } from './server-line.ts'

test('every line of the protocol is parsed, and any other line is an error', () => {
  const info = { maxPayload: 1_000, headers: true, tls: false, servers: 1, jetStream: false }
  const cases: readonly (readonly [string, ReturnType<typeof readServerLine>])[] = [
    ['INFO {"max_payload":1000,"headers":true}', { kind: 'info', info }],
    [
      'INFO {"max_payload":1000,"headers":true,"ldm":true,"tls_available":true}',
      { kind: 'info', info: { ...info, tls: true } },
    ],
    [
      'INFO {"tls_required":true}',
      { kind: 'info', info: { maxPayload: undefined, headers: false, tls: true, servers: 1, jetStream: false } },
    ],
    [
      'INFO {"max_payload":-1}',
      { kind: 'info', info: { maxPayload: undefined, headers: false, tls: false, servers: 1, jetStream: false } },
    ],
    [
      'INFO {"max_payload":1000,"headers":true,"cluster":"c","connect_urls":["a","b","c"]}',
      { kind: 'info', info: { ...info, servers: 3 } },
    ],
    ['INFO {"max_payload":1000,"headers":true,"jetstream":true}', { kind: 'info', info: { ...info, jetStream: true } }],
    ['INFO {', { kind: 'error', code: 'BUS_FAILED' }],
    ['INFO null', { kind: 'error', code: 'BUS_FAILED' }],
    ['PING', { kind: 'ping' }],
    ['pong ', { kind: 'pong' }],
    ['+OK', { kind: 'ok' }],
    [
      '-ERR \'Permissions Violation for Publish to "llm.gl.logger"\'',
      { kind: 'refused subject', operation: 'publish', subject: 'llm.gl.logger' },
    ],
    [
      '-ERR \'Permissions Violation for Subscription to "_INBOX.a.*"\'',
      { kind: 'refused subject', operation: 'subscription', subject: '_INBOX.a.*' },
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

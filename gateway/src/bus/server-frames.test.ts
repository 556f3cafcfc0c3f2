import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ServerFrames } from './server-frames.ts'

const TEXT = [
  'INFO {}',
  'MSG _INBOX.a.1 1  2',
  '{}',
  'PING',
  'HMSG _INBOX.a.2 1 16 16',
  'NATS/1.0 503\r\n\r\n',
  'MSG _INBOX.a.3 1 4',
  '\r\n\r\n',
  'PONG',
  '',
].join('\r\n')
const FRAMES = [
  'INFO {}',
  { subject: '_INBOX.a.1', status: 0, text: '{}' },
  'PING',
  { subject: '_INBOX.a.2', status: 503, text: '' },
  { subject: '_INBOX.a.3', status: 0, text: '\r\n\r\n' },
  'PONG',
]

test('lines and messages are complete however their bytes are split', () => {
  for (let at = 0; at <= TEXT.length; at++) {
    const frames = new ServerFrames()
    const taken = [TEXT.slice(0, at), TEXT.slice(at)].map((part) => frames.take(Buffer.from(part)) ?? ['too long'])
    assert.deepEqual(taken.flat(), FRAMES)
  }
})

test('an endless line and a malformed message end the reading', () => {
  const endless = new ServerFrames()
  const counts = Array.from({ length: 6 }, () => endless.take(Buffer.alloc(64 * 1024, 'x'))?.length)
  assert.deepEqual(counts, [0, 0, 0, 0, undefined, undefined])
  for (const line of ['MSG a 1 -1', 'MSG a 1 x', 'MSG a', 'HMSG a 1 5', 'HMSG a 1 9 5', 'MSG a 1 1e400']) {
    assert.equal(new ServerFrames().take(Buffer.from(`${line}\r\nabc`)), undefined, line)
  }
})

test('a message that is too large is skipped, however it is split, and not kept', () => {
  const large = `MSG a 1 300000\r\n${'x'.repeat(300_000)}\r\n`
  const text = `PING\r\n${large}MSG a 1 1\r\ny\r\n${large}PONG\r\n`
  const expected = ['PING', { subject: 'a', status: 0, text: 'y' }, 'PONG']
  for (const bytes of [1, 7, 16, 65_536, 300_001, text.length]) {
    const frames = new ServerFrames()
    const taken: unknown[] = []
    for (let at = 0; at < text.length; at += bytes) {
      taken.push(...(frames.take(Buffer.from(text.slice(at, at + bytes))) ?? ['too long']))
    }
    assert.deepEqual(taken, expected, `${bytes}`)
  }
})

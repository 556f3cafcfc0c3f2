import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type OutputLine, toJsonLine } from './log-line.ts'

const now = new Date('2026-11-21T02:00:00.123Z')
const bus = (text: string): OutputLine => ({ service: 'nats-server', stream: 'stderr', text })

const cases: ReadonlyArray<readonly [line: OutputLine, level: string, msg: string]> = [
  [bus('[71] 2026/11/21 02:00:00.1 [INF] Server is ready'), 'INFO', 'Server is ready'],
  [bus('[71] 2026/11/21 02:00:00.123456 [WRN] slow'), 'WARN', 'slow'],
  [bus('[71] 2026/11/21 02:00:00 [ERR] no'), 'ERROR', 'no'],
  [bus('[71] 2026/11/21 02:00:00.1 [FTL] gone'), 'ERROR', 'gone'],
  [bus('[71] 2026/11/21 02:00:00.1 [DBG] detail'), 'DEBUG', 'detail'],
  [bus('nats-server: nats.conf:3: no'), 'ERROR', 'nats-server: nats.conf:3: no'],
  [{ service: 'gl', stream: 'stdout', text: 'plain' }, 'INFO', 'plain'],
  [{ service: 'gl', stream: 'stdout', text: '{"broken":' }, 'INFO', '{"broken":'],
  [{ service: 'gl', stream: 'stdout', text: '{"broken":}' }, 'INFO', '{"broken":}'],
  [{ service: 'gl', stream: 'stdout', text: '[1]' }, 'INFO', '[1]'],
]

for (const [line, level, msg] of cases) {
  test(`text becomes one JSON line: ${line.text}`, () => {
    const found = JSON.parse(toJsonLine(line, now))
    assert.deepEqual(found, { time: '2026-11-21T02:00:00.123Z', level, msg, service: line.service })
  })
}

test('a JSON line passes as it is, byte for byte', () => {
  const text = '{"level":"WARN",  "msg":"configuration has rejected fields","service":"gl","n":1.0}'
  assert.equal(toJsonLine({ service: 'gl', stream: 'stdout', text }, now), text)
})

const objects: ReadonlyArray<readonly [what: string, characters: number, isKept: boolean]> = [
  ['of 65,536 characters passes as it is', 65_536, true],
  ['of more characters becomes msg, because parsing it takes long', 65_537, false],
]
for (const [what, characters, isKept] of objects) {
  test(`a JSON line ${what}`, () => {
    const empty = '{"msg":""}'
    const text = `{"msg":"${'x'.repeat(characters - empty.length)}"}`
    const line = toJsonLine({ service: 'gl', stream: 'stdout', text }, now)
    assert.equal(line === text, isKept)
    assert.equal(JSON.parse(line).msg.length, isKept ? characters - empty.length : characters)
  })
}

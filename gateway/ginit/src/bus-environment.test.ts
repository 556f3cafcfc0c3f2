import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { busEnvironment } from '@llm-gateway/conf'
import { startProcess } from './service-process.ts'

// Rules: docs/reference/configuration-rules.md#files-of-the-other-programs

const NATS_SERVER = join(import.meta.dirname, '../../../.tools/bin/nats-server')
const TOKENS = [
  ...['123456', 'true', 'false', 'on', '4k', '1e3', '-5', '2026-11-21T02:00:00Z', '$HOME', '$NATS_TOKEN', '{}', '[1]'],
  ...[
    'with "quotes"',
    "it's",
    'back\\slash',
    'ends with \\',
    ' spaces ',
    'tab\tline\nreturn\r',
    '# no comment',
    '// none',
    '; a = b',
  ],
  ...['\\x41', 'prefix-€-ü', 'x'.repeat(200), 'plain'],
]

for (const token of TOKENS) {
  test(`nats-server reads the token ${JSON.stringify(token).slice(0, 40)} as text`, async () => {
    await using bus = await startBus(token)
    assert.equal(await answerTo(bus.port, token), 'PONG')
    assert.match(await answerTo(bus.port, `${token}.`), /Authorization Violation/)
  })
}

async function startBus(token: string): Promise<AsyncDisposable & { readonly port: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'ginit-bus-'))
  const file = join(folder, 'nats-server.conf')
  writeFileSync(file, 'listen: "127.0.0.1:-1"\nauthorization { token: $NATS_TOKEN, timeout: 60 }\n')
  const lines: string[] = []
  const server = startProcess(
    {
      name: 'nats-server',
      command: { program: NATS_SERVER, args: ['-c', file] },
      environment: busEnvironment({ ...process.env, NATS_TOKEN: token }),
      healthyOutput: 'Server is ready',
      startTimeoutMs: 60_000,
      stopTimeoutMs: 10_000,
      diePromise: false,
      isOptional: false,
    },
    (_, text) => lines.push(text),
  )
  const health = await server.health
  const port = Number(/client connections on 127\.0\.0\.1:(\d+)/.exec(lines.join('\n'))?.[1])
  const end = async () => {
    await server.stop()
    rmSync(folder, { recursive: true })
  }
  if (health !== 'healthy') {
    await end()
    assert.fail(`nats-server is ${health}: ${lines.join(' | ')}`)
  }
  return { port, [Symbol.asyncDispose]: end }
}

/** Returns the bus's answer to a connection with this token: `PONG` or its error. */
async function answerTo(port: number, token: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write(`CONNECT ${JSON.stringify({ verbose: false, pedantic: false, auth_token: token })}\r\nPING\r\n`)
  try {
    for await (const line of createInterface({ input: socket })) {
      if (line === 'PONG' || line.startsWith('-ERR')) return line
    }
    return 'closed'
  } finally {
    socket.destroy()
  }
}

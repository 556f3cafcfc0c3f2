import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { freePort } from '../../fake/free-port.ts'
import { gatewayConfig } from '../../fake/gateway-addresses.ts'
import { writeGatewayFile } from '../../fake/gateway-file.ts'
import { GATEWAY_MAIN } from '../../fake/gateway-process.ts'
import { startLlm } from '../../fake/llm.ts'
import { type Program, startProgram, waitForLine } from '../../fake/program.ts'

// Rules: docs/reference/configuration-rules.md#references, docs/reference/configuration-rules.md#status

const KEY = 'V_0123456789abcdef'

type Waiting = {
  readonly program: Program
  readonly port: number
  readonly adminUrl: string
  readonly deliver: () => Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Starts a gateway whose second router refers to a value that is not in SECRETS_DIR yet. */
async function startWaiting(llmUrl: string): Promise<Waiting> {
  const secretsDir = await mkdtemp(join(tmpdir(), 'llm-gateway-secrets-'))
  const routers = [
    { path: '/open/', outbound: { url: llmUrl } },
    { path: '/keyed/', outbound: { url: llmUrl, headers: { 'Api-Key': [`\${${KEY}}`] } } },
  ]
  const { config, port, adminPort } = await gatewayConfig({ admin: true, config: { routers } }, await freePort())
  const file = await writeGatewayFile(config)
  const args = [GATEWAY_MAIN, '-o', file.file]
  const program = await startProgram({ command: process.execPath, args, environment: { SECRETS_DIR: secretsDir } })
  await waitForLine(program, /configuration waits for values/)
  const adminUrl = `http://127.0.0.1:${adminPort}`
  await untilAnswered(`${adminUrl}/healthz`)
  return {
    program,
    port,
    adminUrl,
    deliver: () => writeFile(join(secretsDir, KEY), 'key'),
    [Symbol.asyncDispose]: async () => {
      await program.stop()
      await file.remove()
      await rm(secretsDir, { recursive: true })
    },
  }
}

/** The admin port opens a moment after the log line. */
async function untilAnswered(url: string): Promise<void> {
  const end = performance.now() + 20_000
  while (
    !(await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    assert.ok(performance.now() < end, url)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

function connects(port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve('connected'))
    socket.once('error', (error) => resolve('code' in error ? String(error.code) : error.name))
    socket.once('close', () => socket.destroy())
  })
}

test('while a start waits for values no call is served, and the admin port reports that; afterwards all routers are served', async () => {
  await using llm = await startLlm()
  await using gateway = await startWaiting(llm.url)
  assert.equal((await fetch(`${gateway.adminUrl}/readyz`)).status, 503)
  const { digest, routers, reload } = JSON.parse(await (await fetch(`${gateway.adminUrl}/status`)).text())
  assert.deepEqual([digest, routers.active, reload.reason], ['', 0, 'VALUES_MISSING'])
  assert.equal(await connects(gateway.port), 'ECONNREFUSED')
  await gateway.deliver()
  await waitForLine(gateway.program, /http\(s\) server initialized/)
  await untilAnswered(`${gateway.adminUrl}/readyz`)
  for (const path of ['open', 'keyed']) {
    assert.equal((await fetch(`http://127.0.0.1:${gateway.port}/${path}/models`)).status, 200, path)
  }
})

test('SIGTERM ends a start that waits for values at once, with exit code 0', async () => {
  await using llm = await startLlm()
  await using gateway = await startWaiting(llm.url)
  gateway.program.kill('SIGTERM')
  assert.deepEqual(await gateway.program.exited, { code: 0, signal: null })
  assert.ok(gateway.program.lines.entries.at(-1)?.includes('"stopped"'))
})

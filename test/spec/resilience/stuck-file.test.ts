import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from '../../fake/free-port.ts'
import { type GatewayOptions, gatewayConfig } from '../../fake/gateway-addresses.ts'
import { writeGatewayFile } from '../../fake/gateway-file.ts'
import { GATEWAY_MAIN } from '../../fake/gateway-process.ts'
import { startLlm } from '../../fake/llm.ts'
import { type Exit, type Program, startProgram, waitForLine } from '../../fake/program.ts'
import { temporaryFolder } from '../../fake/temporary-folder.ts'

// Rules: docs/reference/http.md#drain

/**
 * Lets a thread of the gateway wait for a pipe without a writer, as for a share that hangs. With `HANGS` the question
 * for the state of that file waits, too. SIGUSR2 throws an uncaught error.
 */
const STUCK = `import files from 'node:fs/promises'
  import { syncBuiltinESMExports } from 'node:module'
  const reading = files.readFile(process.env.PIPE)
  const { stat } = files
  files.stat = (path, ...rest) => {
    if (path !== process.env.HANGS) return stat(path, ...rest)
    console.log('reading begins')
    return reading
  }
  syncBuiltinESMExports()
  process.once('SIGUSR2', () => { throw new RangeError() })`

type Scene = { readonly program: Program; readonly url: string } & AsyncDisposable

/** Starts a gateway, one of whose threads is stuck; with `hangs` in the reading of the configuration. */
async function startStuck(options: GatewayOptions, hangs = false): Promise<Scene> {
  const folder = await temporaryFolder()
  const pipe = join(folder.path, 'pipe')
  await promisify(execFile)('mkfifo', [pipe])
  const { config, port } = await gatewayConfig(options, await freePort())
  const file = await writeGatewayFile(config)
  const program = await startProgram({
    command: process.execPath,
    args: ['--import', `data:text/javascript,${encodeURIComponent(STUCK)}`, GATEWAY_MAIN, '-o', file.file],
    environment: { PIPE: pipe, ...(hangs ? { HANGS: file.file } : {}), SECRETS_DIR: options.secretsDir },
  })
  return {
    program,
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      await program.stop(0)
      await file.remove()
      await folder[Symbol.asyncDispose]()
    },
  }
}

/** Starts a gateway with a call that doesn't end. */
async function startWithCall(llm: Awaited<ReturnType<typeof startLlm>>): Promise<Scene> {
  llm.respond(() => new Promise(() => undefined))
  const scene = await startStuck({ config: { routers: [{ path: '/llm/', outbound: { url: llm.url } }] } })
  await waitForLine(scene.program, /http\(s\) server initialized/)
  // The call ends without an answer.
  void fetch(`${scene.url}/llm/x`, { method: 'POST', body: '{}' }).catch(() => undefined)
  await llm.requests.waitForCount(1)
  return scene
}

const GIVE_UP_MS = 60_000

/** Resolves with the exit code; undefined where the process doesn't end. */
async function exitCode({ program }: Scene): Promise<Exit['code'] | undefined> {
  const limit = new AbortController()
  const late = delay(GIVE_UP_MS, undefined, { signal: limit.signal })
  const code = await Promise.race([program.exited.then(({ code }) => code), late])
  limit.abort()
  await late.catch(() => undefined)
  return code
}

test('a stop ends the process although a thread waits for a file', async () => {
  await using scene = await startStuck({})
  await waitForLine(scene.program, /http\(s\) server initialized/)
  scene.program.kill('SIGTERM')
  assert.equal(await exitCode(scene), 0)
})

for (const [first, line] of [
  ['SIGTERM', /"draining"/],
  ['SIGUSR2', /uncaught error/],
] as const)
  test(`a second signal after ${first} ends the process at once although a thread waits for a file`, async () => {
    await using llm = await startLlm()
    await using scene = await startWithCall(llm)
    scene.program.kill(first)
    await waitForLine(scene.program, line)
    scene.program.kill('SIGTERM')
    assert.equal(await exitCode(scene), 1)
  })

test('an uncaught fault ends the process although a call does not end and a thread waits for a file', async () => {
  await using llm = await startLlm()
  await using scene = await startWithCall(llm)
  scene.program.kill('SIGUSR2')
  assert.equal(await exitCode(scene), 1)
})

test('a start that waits for values and is stopped ends although a thread waits for a file', async () => {
  await using secrets = await temporaryFolder()
  const outbound = { url: 'http://127.0.0.1:1', headers: { 'Api-Key': ['${V_0123456789abcdef}'] } }
  await using scene = await startStuck({
    config: { routers: [{ path: '/llm/', outbound }] },
    secretsDir: secrets.path,
  })
  await waitForLine(scene.program, /configuration waits for values/)
  scene.program.kill('SIGTERM')
  assert.equal(await exitCode(scene), 0)
})

test('a failed start ends although a thread waits for a file', async () => {
  const missing = { enabled: true, certificate_file: '/nowhere/cert.pem', private_key_file: '/nowhere/key.pem' }
  await using scene = await startStuck({ config: { tls: { ingress: missing } } })
  assert.equal(await exitCode(scene), 1)
})

test('a stop ends a start whose configuration hangs', async () => {
  await using scene = await startStuck({}, true)
  await waitForLine(scene.program, /reading begins/)
  scene.program.kill('SIGTERM')
  assert.equal(await exitCode(scene), 0)
})

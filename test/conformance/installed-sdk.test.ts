import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { type BusAddress, connectBusClient } from '../fake/bus-client.ts'
import { freePort } from '../fake/free-port.ts'
import { startNatsServer } from '../fake/nats-server.ts'
import { type Program, startProgram, waitForLine } from '../fake/program.ts'
import { encodeMessage } from './behaviours.ts'
import { type InstalledSdk, SDKS, scratchFolder } from './installed-sdk.ts'
import type { Contract } from './processors.ts'
import { testProtocol } from './protocol-suite.ts'

const ROOT = join(import.meta.dirname, '../..')
const WORDS = 'How many words\nare  these?'
const start = async (installed: InstalledSdk, { address, token }: BusAddress): Promise<Program> => {
  const environment = { PATH: process.env.PATH, GATEWAY_HOST: address, NATS_TOKEN: token }
  const program = await startProgram({ ...installed, cwd: installed.folder, environment })
  await waitForLine(program, /processor initialized/)
  return program
}

for (const [language, install] of SDKS) {
  // All languages share one golden, since their answers are equal.
  const contract: Contract = {
    name: 'wordcount',
    message: { ingress_payload: { messages: [{ role: 'user', content: WORDS }] } },
    writes: ['word_count'],
    answer: () => ({ word_count: 5 }),
  }
  describe(`the SDK for ${language}, installed into an empty folder from the package of a release`, () => {
    const left = new AsyncDisposableStack()
    let installed: InstalledSdk
    before(async () => {
      installed = await install(left.use(await scratchFolder()).path, process.env)
    })
    after(() => left.disposeAsync())

    testProtocol(contract, async (bus) => start(installed, bus))

    it('the program is unready without a bus, ready with one, and serves its metrics', async () => {
      const [busPort, port] = [await freePort(), await freePort()]
      const environment = { PATH: process.env.PATH, GATEWAY_HOST: `127.0.0.1:${busPort}`, NATS_TOKEN: 'token' }
      const served = {
        PROCESSOR_PORT: String(port),
        PROCESSOR_HOST: '127.0.0.1',
        PROCESSOR_SUBJECT: 'llm.gl.custom.words',
      }
      await using program = await startProgram({ ...installed, environment: { ...environment, ...served } })
      const status = (path: string) => statusOf(`http://127.0.0.1:${port}${path}`)
      await until(async () => (await status('/readyz')) === 503)
      assert.deepEqual([await status('/healthz'), await status('/other')], [200, 404])
      await using nats = await startNatsServer({ port: busPort, token: 'token' })
      await until(async () => (await status('/readyz')) === 200)
      await using client = await connectBusClient(nats)
      const message = Buffer.from(encodeMessage(contract.message))
      for (const bytes of [message, Buffer.from('{}')]) await client.ask('llm.gl.custom.words', bytes, 60_000)
      const metrics = async () => await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
      const counted = (outcome: string) => `llm_processor_messages_total{processor="wordcount",outcome="${outcome}"} 1`
      // A message is counted after its answer has left.
      await until(async () => (await metrics()).includes(counted('nothing')))
      const text = await metrics()
      assert.ok(text.includes(counted('answered')), text)
      assert.match(text, /^llm_processor_bus_connected\{processor="wordcount"\} 1$/m)
      assert.match(text, /^llm_processor_seconds_count\{processor="wordcount"\} 2$/m)
      program.kill('SIGTERM')
      assert.deepEqual(await program.exited, { code: 0, signal: null })
    })

    it('the program prints the processor’s version and refuses unknown arguments', async () => {
      const run = async (...args: readonly string[]) => {
        await using program = await startProgram({ ...installed, args: [...installed.args, ...args] })
        return [(await program.exited).code, program.lines.entries[0]]
      }
      assert.deepEqual(await run('--version'), [0, '1.2.3'])
      assert.deepEqual(await run('--other'), [1, 'usage: [-o FILE] [--validate] | --version'])
      assert.deepEqual(await run('--validate'), [0, undefined])
    })

    it('the program names the wrong key of its settings file, and never a value', async () => {
      const file = join(installed.folder, 'wrong.json')
      await writeFile(file, JSON.stringify({ log_level: 'LOUD-SECRET', service_bus: { hostname: 7 } }))
      await using program = await startProgram({ ...installed, args: [...installed.args, '-o', file] })
      assert.equal((await program.exited).code, 1)
      const lines = program.lines.entries.join('\n')
      assert.match(lines, /"configuration file validation failed"/)
      assert.match(lines, /wordcount_config\.log_level/)
      assert.doesNotMatch(lines, /SECRET/)
    })
  })
}

it('the compiler finds and checks the types of the installed npm package', async () => {
  await using scratch = await scratchFolder()
  const { folder } = await (SDKS.get('JavaScript') ?? assert.fail())(scratch.path, process.env)
  const options = { module: 'nodenext', target: 'es2024', strict: true, noEmit: true, types: ['node'] }
  const typeRoots = [join(ROOT, 'node_modules/@types')]
  const compilerOptions = { ...options, typeRoots, skipLibCheck: true }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['typed.ts'] }))
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
  // tsc writes its errors to stdout.
  const { stdout } = await promisify(execFile)(process.execPath, [compiler, '-p', folder]).catch((error) => error)
  assert.equal(stdout, '')
})

/** Returns the status of a URL; undefined while the port is closed. */
async function statusOf(url: string): Promise<number | undefined> {
  try {
    return (await fetch(url)).status
  } catch {
    return undefined // The port opens a moment after the start.
  }
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 60_000
  while (!(await holds())) {
    assert.ok(performance.now() < end, 'never so')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { type BusAddress, connectBusClient } from '../fake/bus-client.ts'
import { createAuthority } from '../fake/certificates.ts'
import { freePort } from '../fake/free-port.ts'
import { startNatsServer } from '../fake/nats-server.ts'
import { type Program, startProgram, waitForLine } from '../fake/program.ts'
import { encodeMessage } from './behaviours.ts'
import { endsWithBlockedLoop } from './blocked-loop.ts'
import { readsBusHeaders } from './bus-headers.ts'
import { countsCancelledAnswers } from './cancelled-answers.ts'
import { checksSettings } from './checked-settings.ts'
import { countsValues } from './count-values.ts'
import { answersBesideACrowd } from './crowded-port.ts'
import { displacesFloods } from './displaced-messages.ts'
import { sharesItsQueue } from './fair-share.ts'
import { survivesHostileHeads } from './hostile-heads.ts'
import { type InstalledSdk, SDKS, scratchFolder } from './installed-sdk.ts'
import { showsLargeMetrics } from './large-metrics.ts'
import { waitsForTlsFiles } from './late-tls-files.ts'
import { leavesTurns } from './loop-turns.ts'
import type { Contract } from './processors.ts'
import { testProtocol } from './protocol-suite.ts'
import { keepsSharedState } from './shared-state.ts'
import { endsWithStuckAnswers } from './stuck-answers.ts'
import { boundsItsThreads, keepsLatePlaces } from './thread-places.ts'
import { watchesKeys } from './watch-keys.ts'

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
    keepsSharedState(() => ({ installed, path: process.env.PATH }))
    waitsForTlsFiles(() => ({ installed, path: process.env.PATH }))
    checksSettings(() => ({ installed, path: process.env.PATH }))
    sharesItsQueue(() => ({ installed, path: process.env.PATH }))
    // The SDK for JavaScript has a test of its own (processors/sdk/src/bus/message-header.test.ts).
    if (language === 'Python') readsBusHeaders(() => ({ installed }))
    survivesHostileHeads(() => ({ installed, path: process.env.PATH }))
    // The SDK for JavaScript has a test of its own (processors/sdk/src/messages/fair-queue.test.ts).
    if (language === 'Python') displacesFloods(() => ({ installed }))
    // The SDK for JavaScript has a test of its own (processors/sdk/src/program/processor-port.test.ts).
    if (language === 'Python') answersBesideACrowd(() => ({ installed }))
    // The SDK for JavaScript has a test of its own (processors/protocol/src/json-bounds.test.ts).
    if (language === 'Python') countsValues(() => ({ installed }))
    // The SDK for JavaScript reads in threads, too (processors/sdk/src/messages/large-messages.test.ts).
    if (language === 'Python') leavesTurns(() => ({ installed }))
    // The SDK for JavaScript stops at the first key that has not expired, too (processors/sdk/src/key-value/watched-keys.ts).
    if (language === 'Python') watchesKeys(() => ({ installed }))
    // In JavaScript nothing cancels a promise.
    if (language === 'Python') countsCancelledAnswers(() => ({ installed, path: process.env.PATH }))
    // The SDK for JavaScript ends a thread whose message was given up.
    if (language === 'Python') boundsItsThreads(() => ({ installed, path: process.env.PATH }))
    // The programs of these tests wait for up to 28 s and compute little, so the tests run at the same time.
    if (language === 'Python')
      describe('answers that never end', { concurrency: true }, () => {
        keepsLatePlaces(() => ({ installed, path: process.env.PATH }))
        // Programs with the SDK for JavaScript call `process.exit`, which waits for nothing.
        endsWithStuckAnswers(() => ({ installed, path: process.env.PATH }))
        // Node hands no signal to another thread than the main thread, so the SDK for JavaScript can't do the same.
        endsWithBlockedLoop(() => ({ installed, path: process.env.PATH }))
      })
    // The SDK for JavaScript writes its metrics with prom-client.
    if (language === 'Python') showsLargeMetrics(() => ({ installed }))

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

    it('connects by TLS with a client certificate, and trusts no bus of another authority', async () => {
      await using authority = await createAuthority()
      await using other = await createAuthority('other authority')
      const [own, client] = [await authority.issue('bus'), await authority.issue('client')]
      const files = `cert_file: "${own.certificateFile}", key_file: "${own.privateKeyFile}", ca_file: "${authority.certificateFile}"`
      await using nats = await startNatsServer({ extra: `tls { ${files}, verify: true }` })
      const environment = {
        PATH: process.env.PATH,
        GATEWAY_HOST: nats.address,
        NATS_TOKEN: nats.token,
        NATS_CA_FILE: authority.certificateFile,
        NATS_CERT_FILE: client.certificateFile,
        NATS_KEY_FILE: client.privateKeyFile,
      }
      await using trusting = await startProgram({ ...installed, environment })
      await waitForLine(trusting, /processor initialized/)
      for (const wrong of [{ NATS_CA_FILE: other.certificateFile }, { NATS_CERT_FILE: '', NATS_KEY_FILE: '' }]) {
        await using refused = await startProgram({ ...installed, environment: { ...environment, ...wrong } })
        await waitForLine(refused, /bus not reachable/)
        refused.kill('SIGTERM')
        assert.deepEqual(await refused.exited, { code: 0, signal: null })
        assert.doesNotMatch(refused.lines.entries.join('\n'), /processor initialized/)
      }
    })

    it('refuses a bus without TLS where TLS is configured, and never sends it the token', async () => {
      await using authority = await createAuthority()
      await using nats = await startNatsServer({ token: 'planted-token' })
      const environment = {
        PATH: process.env.PATH,
        GATEWAY_HOST: nats.address,
        NATS_TOKEN: nats.token,
        NATS_CA_FILE: authority.certificateFile,
      }
      await using program = await startProgram({ ...installed, environment })
      await waitForLine(program, /bus not reachable|processor initialized/)
      program.kill('SIGTERM')
      assert.deepEqual(await program.exited, { code: 0, signal: null })
      assert.doesNotMatch(program.lines.entries.join('\n'), /processor initialized|planted-token/)
    })

    it('reads a compressed settings file with TLS files and a token from SECRETS_DIR', async () => {
      await using authority = await createAuthority()
      const own = await authority.issue('bus')
      const files = `cert_file: "${own.certificateFile}", key_file: "${own.privateKeyFile}"`
      await using nats = await startNatsServer({ token: 'planted-token', extra: `tls { ${files} }` })
      const [file, secrets] = [join(installed.folder, 'packed.json'), join(installed.folder, 'secrets')]
      await mkdir(secrets)
      await writeFile(join(secrets, 'BUS_TOKEN'), 'planted-token\n')
      const tls = { ca_file: authority.certificateFile }
      const settings = { service_bus: { hostname: nats.address, token: '$BUS_TOKEN', tls } }
      await writeFile(file, gzipSync(JSON.stringify(settings)))
      const environment = { PATH: process.env.PATH, SECRETS_DIR: secrets }
      const args = [...installed.args, '-o', file]
      await using program = await startProgram({ ...installed, args, environment })
      await waitForLine(program, /processor initialized/)
      assert.doesNotMatch(program.lines.entries.join('\n'), /planted-token/)
    })

    it('takes the token from the file NATS_TOKEN of SECRETS_DIR where no setting names one', async () => {
      await using nats = await startNatsServer({ token: 'planted-token' })
      const secrets = await secretsFolder('token', { NATS_TOKEN: 'planted-token' })
      const environment = { PATH: process.env.PATH, SECRETS_DIR: secrets, GATEWAY_HOST: nats.address }
      await using program = await startProgram({ ...installed, environment })
      await waitForLine(program, /processor initialized/)
    })

    it('looks up the names that the operator writes only in SECRETS_DIR', async () => {
      await using nats = await startNatsServer({ token: 'planted-token' })
      const secrets = await secretsFolder('delivered', { V_0123456789abcdef: 'planted-token', OTHER: 'wrong' })
      const file = join(installed.folder, 'delivered.json')
      const args = [...installed.args, '-o', file]
      const variables = { V_0123456789abcdef: 'wrong', OTHER: 'planted-token' }
      const environment = { PATH: process.env.PATH, SECRETS_DIR: secrets, ...variables }
      for (const name of Object.keys(variables)) {
        await writeFile(file, JSON.stringify({ service_bus: { hostname: nats.address, token: `\${${name}}` } }))
        await using program = await startProgram({ ...installed, args, environment })
        await waitForLine(program, /processor initialized/)
      }
    })

    async function secretsFolder(name: string, files: Readonly<Record<string, string>>): Promise<string> {
      const folder = join(installed.folder, `secrets-${name}`)
      await mkdir(folder)
      for (const [file, value] of Object.entries(files)) await writeFile(join(folder, file), value)
      return folder
    }

    it('reads renewed certificates when it connects again', async () => {
      await using first = await createAuthority()
      await using second = await createAuthority('second authority')
      const folder = join(installed.folder, 'certificates')
      await mkdir(folder)
      const path = (name: string): string => join(folder, `${name}.pem`)
      const renew = async (authority: typeof first): Promise<void> => {
        const [own, client] = [await authority.issue('bus'), await authority.issue('client')]
        await writeFile(path('ca'), authority.certificate)
        for (const [name, { certificate, privateKey }] of Object.entries({ own, client })) {
          await writeFile(path(name), certificate)
          await writeFile(path(`${name}-key`), privateKey)
        }
      }
      await renew(first)
      const files = `cert_file: "${path('own')}", key_file: "${path('own-key')}", ca_file: "${path('ca')}"`
      await using nats = await startNatsServer({ extra: `tls { ${files}, verify: true }` })
      const environment = {
        PATH: process.env.PATH,
        GATEWAY_HOST: nats.address,
        NATS_TOKEN: nats.token,
        NATS_CA_FILE: path('ca'),
        NATS_CERT_FILE: path('client'),
        NATS_KEY_FILE: path('client-key'),
      }
      await using program = await startProgram({ ...installed, environment })
      await waitForLine(program, /processor initialized/)
      await nats.stop()
      await renew(second)
      await nats.restart()
      await waitForLine(program, /bus reconnected/)
    })

    const packed = gzipSync(JSON.stringify({ log_level: 'INFO' }))
    const broken: readonly (readonly [string, Buffer])[] = [
      ['cut off', packed.subarray(0, packed.length - 12)],
      ['damaged', Buffer.concat([packed.subarray(0, 10), Buffer.alloc(64, 0xff)])],
      ['with a wrong checksum', Buffer.concat([packed.subarray(0, -8), Buffer.alloc(8)])],
      ['that unpacks to 65 MiB', gzipSync(Buffer.alloc(65 * 1024 * 1024, ' '))],
    ]
    for (const [title, bytes] of broken) {
      it(`names a compressed settings file ${title}, and ends with 1`, async () => {
        const file = join(installed.folder, 'broken.json')
        await writeFile(file, bytes)
        await using program = await startProgram({ ...installed, args: [...installed.args, '--validate', '-o', file] })
        assert.equal((await program.exited).code, 1)
        const lines = program.lines.entries
        assert.equal(lines.length, 1, lines.join('\n'))
        assert.match(lines[0] ?? '', /"configuration file validation failed"/)
        assert.match(lines[0] ?? '', /wordcount_config/)
      })
    }
  })
}

it('an older Node of this machine is refused, with both versions', async (context) => {
  const { engines } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
  const least = Number.parseInt(engines.node.replace('>=', ''), 10)
  const old = globSync((process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'node'))).find(
    (node) => Number.parseInt(execFileSync(node, ['-p', 'process.versions.node']).toString(), 10) < least,
  )
  if (old === undefined) return context.skip('this machine has no older Node')
  await using scratch = await scratchFolder()
  const installed = await (SDKS.get('JavaScript') ?? assert.fail())(scratch.path, process.env)
  await using program = await startProgram({ ...installed, command: old })
  assert.deepEqual(await program.exited, { code: 1, signal: null })
  assert.equal(program.lines.entries.length, 1)
  assert.match(program.lines.entries[0] ?? '', new RegExp(`"least":"${least}".*"this Node is too old"`))
})

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
    assert.ok(performance.now() < end, 'the condition does not hold within the time limit')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import type { BusPlace } from '../fake/bus-client.ts'
import { type Program, startProgram, waitForLine } from '../fake/program.ts'
import { type InstalledSdk, SDKS, scratchFolder } from './installed-sdk.ts'
import type { Contract } from './processors.ts'
import { keepsProtocol } from './protocol-suite.ts'

const ROOT = join(import.meta.dirname, '../..')
const WORDS = 'How many words\nare  these?'
const start = async (installed: InstalledSdk, { address, token }: BusPlace): Promise<Program> => {
  const environment = { PATH: process.env.PATH, GATEWAY_HOST: address, NATS_TOKEN: token }
  const program = await startProgram({ ...installed, cwd: installed.folder, environment })
  await waitForLine(program, /processor initialized/)
  return program
}

for (const [language, install] of SDKS) {
  // One golden for all languages: they answer alike.
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

    keepsProtocol(contract, async (bus) => start(installed, bus))

    it('says the version of the processor, and refuses arguments that it does not know', async () => {
      const run = async (...args: readonly string[]) => {
        await using program = await startProgram({ ...installed, args: [...installed.args, ...args] })
        return [(await program.exited).code, program.lines.entries[0]]
      }
      assert.deepEqual(await run('--version'), [0, '1.2.3'])
      assert.deepEqual(await run('--other'), [1, 'usage: [-o FILE] [--validate] | --version'])
      assert.deepEqual(await run('--validate'), [0, undefined])
    })

    it('names what is wrong in its settings file, and never a value of it', async () => {
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

it('the types of the installed npm package are found and hold', async () => {
  await using scratch = await scratchFolder()
  const { folder } = await (SDKS.get('JavaScript') ?? assert.fail())(scratch.path, process.env)
  const options = { module: 'nodenext', target: 'es2024', strict: true, noEmit: true, types: ['node'] }
  const typeRoots = [join(ROOT, 'node_modules/@types')]
  const compilerOptions = { ...options, typeRoots, skipLibCheck: true }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['typed.ts'] }))
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
  // tsc says its complaints on stdout.
  const { stdout } = await promisify(execFile)(process.execPath, [compiler, '-p', folder]).catch((error) => error)
  assert.equal(stdout, '')
})

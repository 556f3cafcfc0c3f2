import assert from 'node:assert/strict'
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { type BusAddress, connectBusClient } from '../fake/bus-client.ts'
import { startNatsServer } from '../fake/nats-server.ts'
import { startProgram, waitForLine } from '../fake/program.ts'
import { temporaryFolder } from '../fake/temporary-folder.ts'

const ROOT = join(import.meta.dirname, '../..')
const MESSAGE = '{"ingress_payload":{"messages":[{"role":"user","content":"How many words"}]}}'
/** The words that each processor finds: the one of the SDK's page counts every text of the payload. */
const READMES: readonly (readonly [page: string, words: number])[] = [
  ['examples/typescript/README.md', 3],
  ['examples/python/README.md', 3],
  ['processors/sdk/README.md', 7],
]
/** A file of a page: its path alone in a line or at its beginning, then its text. */
const FILE = /^`([\w./-]+\.\w+)`[^\n]*\n\n```\w+\n(.*?)^```$/gms

for (const [page, words] of READMES) {
  test(`${page}: its files and commands start a processor, beside an older Node too`, async () => {
    await using nats = await startNatsServer()
    await using folder = await temporaryFolder()
    const text = await readFile(join(ROOT, page), 'utf8')
    await makeClone(folder.path, nats)
    for (const [, path = '', content = ''] of text.split('\n## The messages')[0]?.matchAll(FILE) ?? []) {
      const file = join(folder.path, 'processors/word-count', path)
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, content)
    }
    const [, commands = ''] = /^```sh\n(.*?)\n```$/ms.exec(text) ?? []
    // The last command replaces the shell, so that SIGTERM reaches it.
    const script = commands.replace('localhost:4222', nats.address).replace(/(?<=\n)(?=[^\n]+$)/, 'exec ')
    const environment = { HOME: process.env.HOME, PATH: `${join(folder.path, 'old')}:${process.env.PATH}` }
    await using program = await startProgram({
      command: 'sh',
      args: ['-ec', script],
      environment,
      cwd: folder.path,
    })
    await waitForLine(program, /processor initialized|subscribed/)
    await using client = await connectBusClient(nats)
    const answer = await client.request('llm.gl.wordcount', Buffer.from(MESSAGE), 60_000)
    assert.deepEqual(JSON.parse(Buffer.from(answer).toString()), { word_count: words })
    assert.deepEqual(await program.stop(60_000), { code: 0, signal: null })
  })
}

/** Makes a folder like a clone in which `make setup` and `make run` were called, on a machine with an older Node. */
async function makeClone(folder: string, { token = '' }: BusAddress): Promise<void> {
  for (const name of ['node_modules', '.tools']) await symlink(join(ROOT, name), join(folder, name))
  await cp(join(ROOT, 'examples'), join(folder, 'examples'), { recursive: true })
  for (const name of ['.run', 'old']) await mkdir(join(folder, name))
  await writeFile(join(folder, '.run/env'), `# A comment\nNATS_TOKEN=${token}\nGUI_SECRET=a\n`)
  const old = '#!/bin/sh\necho "this Node does not run TypeScript" >&2\nexit 1\n'
  await writeFile(join(folder, 'old/node'), old, { mode: 0o755 })
}

import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { type NatsServer, startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { startProgram } from '@llm-gateway/test/fake/program'
import { temporaryFolder } from '@llm-gateway/test/fake/temporary-folder'

const ROOT = join(import.meta.dirname, '../..')

/** Runs `make dead-letters` for a folder of `make run`. With a wrong token it would wait for the bus. */
async function listed(nats: NatsServer, folder: string, environment: Readonly<Record<string, string>>) {
  const target = { mode: 'rest_api_writer', rest_api_writer: { url: 'http://127.0.0.1:1', endpoint: '/' } }
  await mkdir(join(folder, 'app/conf'), { recursive: true })
  const config = { service_bus: { hostname: nats.address }, ...target }
  await writeFile(join(folder, 'app/conf/nats2log_config.json'), JSON.stringify(config))
  return await madeDeadLetters(folder, environment)
}

async function madeDeadLetters(folder: string, environment: Readonly<Record<string, string>>) {
  const { NATS_TOKEN: _, ...own } = process.env
  await using program = await startProgram({
    command: 'make',
    args: ['--no-print-directory', 'dead-letters'],
    environment: { ...own, ...environment, RUN_DIR: folder },
    cwd: ROOT,
  })
  const { code } = await program.exited
  return { code, said: program.lines.entries.join('\n') }
}

test('the token of the environment counts before that of the file, and no file is needed', async () => {
  await using nats = await startNatsServer({ jetstream: true })
  const right = { NATS_TOKEN: nats.token ?? '' }
  for (const [kept, environment] of [
    ['NATS_TOKEN=wrong\n', right],
    [undefined, right],
    [`NATS_TOKEN=${nats.token}\n`, {}],
    [`NATS_TOKEN=${nats.token}\n`, { NATS_TOKEN: '' }],
  ] as const) {
    await using folder = await temporaryFolder()
    if (kept !== undefined) await writeFile(join(folder.path, 'env'), kept)
    assert.deepEqual(await listed(nats, folder.path, environment), { code: 0, said: '' }, String(kept))
  }
})

test('a folder in which nothing was run is named', async () => {
  const { code, said } = await madeDeadLetters('/absent/folder', {})
  assert.notEqual(code, 0)
  assert.match(said, /dead-letters: the folder \/absent\/folder of `make run` does not exist/)
})

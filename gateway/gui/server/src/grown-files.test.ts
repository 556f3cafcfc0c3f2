import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { endpoints } from '@llm-gateway/gui-api'
import { temporaryFolder } from '@llm-gateway/test/fake/temporary-folder'
import { fileAnswers } from './file-work/file-answers.ts'
import { DraftStore } from './files/draft-store.ts'
import { fileText } from './files/file-text.ts'
import { startScene } from './fixture/interface-scene.ts'

test('work on texts that have grown since it was counted is left to the thread, before any change', async () => {
  await using scene = await startScene()
  const order = {
    file: scene.live('gui_config.json'),
    config: { services: [], working_directory: scene.live('w'), archive_directory: scene.live('a') },
    environment: {},
    node: process.execPath,
    folders: [],
  }
  const small = fileAnswers(order, 100)
  const question = {
    kind: 'request',
    request: {
      method: 'GET',
      path: endpoints.file.path,
      parameters: { file: 'gui_config.json' },
      query: {},
      body: undefined,
      callerName: '',
    },
  } as const
  assert.deepEqual(await small.answer(question), { kind: 'grown' })
  const answer = await fileAnswers(order).answer(question)
  assert.equal(answer.kind === 'request' && answer.status, 200)
})

test('a live file that grows while a deploy is checked leaves the deploy to the thread', async () => {
  await using folder = await temporaryFolder()
  const name = 'nats-server.conf'
  const live = join(folder.path, name)
  const program = join(folder.path, 'grow.js')
  const [base, draft] = [fileText('port: 4222\n'), fileText('port: 4223\n')]
  await writeFile(live, base.text)
  await writeFile(program, `require('node:fs').appendFileSync(${JSON.stringify(live)}, '#'.repeat(9_000))`)
  const service = { name: 'bus', file: program, configuration_file: live, config_command: '-c', validate_command: '-t' }
  const order = {
    file: join(folder.path, 'gui_config.json'),
    config: {
      services: [service],
      working_directory: join(folder.path, 'drafts'),
      archive_directory: join(folder.path, 'archive'),
    },
    environment: process.env,
    node: process.execPath,
    folders: [],
  }
  const drafts = new DraftStore(order.config.working_directory)
  await drafts.write(name, { draft, base, savedAt: '2026-01-01T00:00:00Z', savedBy: 'ann' })
  const request = {
    method: 'POST',
    path: endpoints.deploy.path,
    parameters: { file: name },
    query: {},
    body: Buffer.from(JSON.stringify({ tag: draft.digest, note: '' })),
    callerName: 'ann',
  }
  assert.deepEqual(await fileAnswers(order, 8_000).answer({ kind: 'request', request }), { kind: 'grown' })
  const answer = await fileAnswers(order).answer({ kind: 'request', request })
  assert.equal(answer.kind === 'request' && answer.status, 409)
  assert.equal((await readFile(live, 'utf8')).length, base.text.length + 9_000)
})

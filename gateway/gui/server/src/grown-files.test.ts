import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endpoints } from '@llm-gateway/gui-api'
import { fileAnswers } from './file-work/file-answers.ts'
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

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { assertShortTurns } from '@llm-gateway/test/fake/short-turns'
import { watchTasks } from '../work/tasks-under-test.ts'
import { fileStamp } from './file-stamp.ts'

// Rules: docs/reference/configuration-rules.md#reload

test('the stamp of a folder of 20,000 values is no long task, and each value changes it', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'llm-gateway-stamp-'))
  context.after(() => rm(folder, { recursive: true }))
  for (let index = 0; index < 20_000; index += 1) writeFileSync(join(folder, `S${index}`), '')
  await new Promise((resolve) => setImmediate(resolve))
  let before: string | undefined
  await assertShortTurns(100, async () => {
    using tasks = watchTasks()
    before = await fileStamp(join(folder, 'S0'), folder)
    await new Promise((resolve) => setImmediate(resolve))
    return tasks.ms
  })
  await writeFile(join(folder, 'S19999'), 'changed')
  assert.notEqual(await fileStamp(join(folder, 'S0'), folder), before)
})

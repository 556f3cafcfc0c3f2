import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createLogger } from '@llm-gateway/conf'
import { temporaryFolder } from '@llm-gateway/test/fake/temporary-folder'
import { prepareContainer } from './prepare-container.ts'

const CHECKOUT = join(import.meta.dirname, '../../../..')

test('log files of a start without a log folder stay beside the link of a later start that has one', async () => {
  await using folder = await temporaryFolder()
  const root = folder.path
  const lines: string[] = []
  const logger = createLogger({ service: 'ginit', write: (line) => lines.push(line) })
  const prepare = () => prepareContainer({ root, programs: CHECKOUT, sets: [] }, logger)
  await mkdir(join(root, 'app'))
  // Nobody can write into a file as into a folder, not even root.
  await writeFile(join(root, 'app/log'), '')
  const work = await prepare()
  assert.equal(work, join(root, 'app/state/work'))
  const places = join(root, 'app/state/work/app')
  await writeFile(join(places, 'log/llm-gateway.jsonl'), 'a record\n')
  assert.equal(await prepare(), work)
  assert.equal(await readFile(join(places, 'log/llm-gateway.jsonl'), 'utf8'), 'a record\n')
  await rm(join(root, 'app/log'))
  for (let start = 0; start < 2; start += 1) assert.equal(await prepare(), work)
  assert.equal(await readlink(join(places, 'log')), join(root, 'app/log'))
  const kept = (await readdir(places)).filter((name) => !['conf', 'log'].includes(name))
  assert.equal(kept.length, 1)
  const [aside = ''] = kept.map((name) => join(places, name))
  assert.equal(await readFile(join(aside, 'llm-gateway.jsonl'), 'utf8'), 'a record\n')
  assert.equal(lines.map((line) => JSON.parse(line)).find(({ moved }) => moved !== undefined)?.moved, aside)
})

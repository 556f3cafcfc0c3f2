import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createLogger } from '@llm-gateway/conf'
import { temporaryFolder } from '@llm-gateway/test/fake/temporary-folder'
import { prepareContainer } from './prepare-container.ts'

const CHECKOUT = join(import.meta.dirname, '../../../..')

test('log files of the newest start without a log folder stay beside the link of a later start that has one', async () => {
  await using folder = await temporaryFolder()
  const root = folder.path
  const { prepare, lines } = containerIn(root)
  await mkdir(join(root, 'app'))
  const places = join(root, 'app/state/work/app')
  for (const record of ['an older record\n', 'a record\n']) {
    // Nobody can write into a file as into a folder, not even root.
    await rm(join(root, 'app/log'), { recursive: true, force: true })
    await writeFile(join(root, 'app/log'), '')
    assert.equal(await prepare(), join(root, 'app/state/work'))
    await writeFile(join(places, 'log/llm-gateway.jsonl'), record)
    await prepare()
    assert.equal(await readFile(join(places, 'log/llm-gateway.jsonl'), 'utf8'), record)
    await rm(join(root, 'app/log'))
    for (let start = 0; start < 2; start += 1) await prepare()
    assert.equal(await readlink(join(places, 'log')), join(root, 'app/log'))
    const kept = (await readdir(places)).filter((name) => !['conf', 'log'].includes(name))
    assert.equal(kept.length, 1)
    const [aside = ''] = kept.map((name) => join(places, name))
    assert.equal(await readFile(join(aside, 'llm-gateway.jsonl'), 'utf8'), record)
    assert.equal(lines().findLast(({ moved }) => moved !== undefined)?.moved, aside)
  }
})

test('a start without a log folder tells whether the log files outlive the container', async (t) => {
  await using folder = await temporaryFolder()
  const { TMPDIR: temporary = '/tmp' } = process.env
  process.env.TMPDIR = folder.path
  t.after(() => {
    process.env.TMPDIR = temporary
  })
  for (const [unwritable, place] of [
    [['log'], 'log files are written below the state folder'],
    [['log', 'state'], 'log files are lost with the container'],
  ] as const) {
    const root = join(folder.path, String(unwritable.length))
    const { prepare, lines } = containerIn(root)
    await mkdir(join(root, 'app'), { recursive: true })
    for (const name of unwritable) await writeFile(join(root, 'app', name), '')
    const isKept = (await prepare()) === join(root, 'app/state/work')
    assert.equal(isKept, unwritable.length === 1)
    const warnings = lines().filter(({ folder: named }) => named === join(root, 'app/log'))
    assert.deepEqual(
      warnings.map(({ msg }) => msg),
      [`log folder is not writable; ${place}`],
    )
  }
})

/** Returns the start of a container with `/` at `root`, and its log lines. */
function containerIn(root: string) {
  const written: string[] = []
  const logger = createLogger({ service: 'ginit', write: (line) => written.push(line) })
  return {
    prepare: () => prepareContainer({ root, programs: CHECKOUT, sets: [] }, logger),
    lines: () => written.map((line) => JSON.parse(line)),
  }
}

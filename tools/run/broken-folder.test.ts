import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { mountedFolder } from '@llm-gateway/test/fake/mounted-folder'
import { quotaFolder } from '@llm-gateway/test/fake/quota-folder'
import { startSmallDisk } from '@llm-gateway/test/fake/small-disk'
import { temporaryFolder } from '@llm-gateway/test/fake/temporary-folder'
import { createRun, type RunUnderTest, until } from './run-under-test.ts'

const CHAT = '/service/standard/v1/chat/completions'
const HEADERS = { 'Content-Type': 'application/json' }
const QUESTION = JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }] })

async function statusOfCall({ ports }: RunUnderTest): Promise<number> {
  const url = `http://127.0.0.1:${ports.gateway}${CHAT}`
  return (await fetch(url, { method: 'POST', headers: HEADERS, body: QUESTION })).status
}

test('make run: a read-only folder is named, and calls are served and recorded in a temporary folder', async (t) => {
  await using disk = await mountedFolder('size=8m')
  await using temporary = await temporaryFolder()
  if (disk === undefined) return t.skip('may not mount a file system')
  const run = await createRun(join(disk.path, 'run'))
  try {
    writeFileSync(join(run.folder, 'env'), 'NATS_TOKEN=a1b2\nGUI_SECRET=c3d4\n')
    disk.remount('ro,size=8m')
    const { child, exited, output } = run.start({ TMPDIR: temporary.path })
    await until(
      'the first steps',
      () => output().includes('Ctrl-C stops everything.') || child.exitCode !== null,
      output,
    )
    const [, working = ''] = /this run uses (\S+) in place of it, with your configuration\./.exec(output()) ?? []
    assert.ok(output().includes(`${run.folder} can't be written (EROFS): this run uses ${temporary.path}/`), output())
    assert.match(output(), /Records of earlier runs stay where they are and are not sent now\./)
    assert.equal(await statusOfCall(run), 200)
    const records = join(working, 'app/log/llm-gateway.jsonl')
    await until('the record', () => existsSync(records) && readFileSync(records, 'utf8').endsWith('\n'), output)
    assert.match(readFileSync(join(working, 'env'), 'utf8'), /GUI_SECRET=c3d4/)
    assert.deepEqual(readdirSync(run.folder).toSorted(), ['app', 'env'])
    child.kill('SIGINT')
    assert.equal(await exited, 0)
    assert.doesNotMatch(output(), /^\s+at .*:\d+:\d+|FTL/m)
  } finally {
    disk.remount('rw,size=8m')
    await run[Symbol.asyncDispose]()
  }
})

test('make run: where no folder can be written nothing is started, and the message names both folders', async (t) => {
  await using disk = await mountedFolder('size=8m')
  if (disk === undefined) return t.skip('may not mount a file system')
  const run = await createRun(join(disk.path, 'run'))
  disk.remount('ro,size=8m')
  const { exited, output } = run.start({ TMPDIR: disk.path })
  assert.equal(await exited, 1)
  const why = `${run.folder} can't be written (EROFS), and neither can a folder in ${disk.path} (EROFS): configuration,`
  assert.ok(output().includes(why), output())
  assert.match(output(), /nothing was started/)
  assert.doesNotMatch(output(), /\bat .*:\d+:\d+|FTL/)
  disk.remount('rw,size=8m')
})

test('make run: with a used-up quota in the folder of the bus calls are served and recorded with another folder', async (t) => {
  await using store = await quotaFolder(2, process.env)
  await using temporary = await temporaryFolder()
  if (store === undefined) return t.skip('may not mount a btrfs')
  await using run = await createRun()
  symlinkSync(store.path, join(run.folder, 'app/bus'))
  store.fill()
  const { child, exited, output } = run.start({ TMPDIR: temporary.path })
  await until('the first steps', () => output().includes('Ctrl-C stops everything.') || child.exitCode !== null, output)
  const note = `${join(run.folder, 'app/bus')} can't be written (EDQUOT): this run uses ${temporary.path}/`
  assert.ok(output().includes(note) && child.exitCode === null, output())
  assert.equal(await statusOfCall(run), 200)
  const records = join(run.folder, 'app/log/llm-gateway.jsonl')
  await until('the record', () => existsSync(records) && readFileSync(records, 'utf8').endsWith('\n'), output)
  child.kill('SIGINT')
  assert.equal(await exited, 0)
})

test('make run: on a full disk calls are served with the existing configuration, and a message tells what happens to records', async (t) => {
  await using disk = await startSmallDisk(64)
  if (disk === undefined) return t.skip('may not mount a file system')
  const run = await createRun(join(disk.path, 'run'))
  try {
    writeFileSync(join(run.folder, 'env'), 'NATS_TOKEN=a1b2\nGUI_SECRET=c3d4\n')
    disk.fill()
    const { output } = run.start()
    await until('the first steps', () => output().includes('Ctrl-C stops everything.'), output)
    assert.match(output(), /can't be written \(ENOSPC\): calls are served with the files that are there/)
    assert.equal(await statusOfCall(run), 200)
  } finally {
    disk.free()
    await run[Symbol.asyncDispose]()
    rmSync(run.folder, { recursive: true, force: true })
  }
})

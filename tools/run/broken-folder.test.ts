import assert from 'node:assert/strict'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { mountedFolder } from '@llm-gateway/test/fake/mounted-folder'
import { startSmallDisk } from '@llm-gateway/test/fake/small-disk'
import { createRun, until } from './run-under-test.ts'

test('make run: a read-only folder is named with the consequences, and nothing is started', async (t) => {
  await using whole = await mountedFolder('size=8m')
  await using store = await mountedFolder('ro,size=1m')
  if (whole === undefined || store === undefined) return t.skip('may not mount a file system')
  await using inside = await createRun()
  mkdirSync(join(inside.folder, 'app'), { recursive: true })
  symlinkSync(store.path, join(inside.folder, 'app/bus'))
  const run = await createRun(join(whole.path, 'run'))
  whole.remount('ro,size=8m')
  for (const [one, folder] of [
    [run, run.folder],
    [inside, join(inside.folder, 'app/bus')],
  ] as const) {
    const { exited, output } = one.start()
    assert.equal(await exited, 1)
    const [line = ''] = output()
      .split('\n')
      .filter((text) => text.includes("can't be written ("))
    assert.ok(line.startsWith(`${folder} can't be written (EROFS), so configuration,`), output())
    assert.match(output(), /nothing was\nstarted/)
    assert.doesNotMatch(output(), /\bat .*:\d+:\d+|FTL/)
  }
  whole.remount('rw,size=8m')
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
    assert.match(output(), /the disk is full: calls are served/)
    const body = JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }] })
    const headers = { 'Content-Type': 'application/json' }
    const url = `http://127.0.0.1:${run.ports.gateway}/service/standard/v1/chat/completions`
    assert.equal((await fetch(url, { method: 'POST', headers, body })).status, 200)
  } finally {
    disk.free()
    await run[Symbol.asyncDispose]()
    rmSync(run.folder, { recursive: true, force: true })
  }
})

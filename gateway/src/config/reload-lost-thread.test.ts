import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { readInThread } from './config-thread.ts'
import { readConfig } from './read-config.ts'
import { reloadUnderTest, text } from './reload-under-test.ts'

// Rules: docs/reference/configuration-rules.md#reload

const PROGRAM = new URL('./lost-worker-under-test.ts', import.meta.url)

for (const kind of ['read', 'check'] as const) {
  test(`a file whose threads are lost while they ${kind} it is read again without a change, and goes live`, async () => {
    const timings = { retryMs: 1, settleMs: 1, lostThreadMs: 1, pollMs: 3_600_000 }
    let isLost = false
    const read: typeof readConfig = (source, signal) =>
      isLost ? readInThread({ ...source, environment: { ENDS_AT: kind } }, signal, PROGRAM) : readConfig(source, signal)
    await using reload = await reloadUnderTest({ config: { version: '1.0.1' }, timings, read })
    isLost = true
    await writeFile(reload.file, text({ version: '1.0.2' }))
    const [, failed] = await reload.states.waitForCount(2)
    assert.deepEqual([failed?.reload.result, failed?.reload.reason], ['failed', 'INTERNAL'])
    isLost = false
    await reload.states.waitForCount(3)
    assert.equal(reload.live.current.settings.version, '1.0.2')
    assert.equal(reload.lines.entries.filter(({ level }) => level === 'ERROR').length, 1)
  })
}

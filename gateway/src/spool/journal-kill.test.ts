import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '@llm-gateway/test/fake/temporary-folder'
import { readAll, spoolIn } from './spool-under-test.ts'

// Rules: docs/reference/kept-records.md#durability

/** Moments in the milliseconds after the start: during bursts, and about the time at which the journal is tidied. */
const MOMENTS: readonly number[] = [40, 1_104, 1_112, 1_120, 1_136, 1_160, 2_400]

/**
 * A program that writes bursts of records into full segments, with pauses in which the journal is tidied, and settles
 * nine tenths of them. It writes the serial of each record that is on disk, and a minus sign before it where the record
 * is about to be settled.
 */
const programIn = (directory: string, endMs: number): string => `
  import { writeSync } from 'node:fs'
  import { spoolIn, source } from ${JSON.stringify(join(import.meta.dirname, 'spool-under-test.ts'))}
  const { spool } = await spoolIn(${JSON.stringify(directory)}, { maxBytes: 4_000_000 })
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${endMs})
  const write = async (serial) => {
    const entry = await spool.journal(source(serial, 20_000, true))
    if (entry === undefined) return
    writeSync(1, serial + '\\n')
    if (serial % 10 === 0) return
    setTimeout(() => {
      writeSync(1, -serial + '\\n')
      entry.settle()
    }, (serial * 37) % 100)
  }
  for (let burst = 1; ; burst += 1) {
    await Promise.all(Array.from({ length: 40 }, (_, at) => write(40 * burst + at)))
    await new Promise((resolve) => setTimeout(resolve, burst % 3 === 0 ? 1_200 : 20))
  }`

test('a process that is killed while its journal is tidied leaves each unsettled record on disk', async (t) => {
  for (const endMs of MOMENTS) {
    await using folder = await temporaryFolder()
    const args = ['--input-type=module', '-e', programIn(folder.path, endMs)]
    const written = await new Promise<string>((resolve) => {
      execFile(process.execPath, args, { timeout: 60_000 }, (_, stdout) => resolve(stdout))
    })
    const serials = written.split('\n').map(Number)
    const settled = new Set(serials.filter((serial) => serial < 0))
    const unsettled = serials.filter((serial) => serial > 0 && !settled.has(-serial))
    await using under = await spoolIn(folder.path)
    const found = new Set(await readAll(under.spool))
    t.diagnostic(
      `killed after ${endMs} ms: ${settled.size} settled, ${unsettled.length} unsettled, ${found.size} on disk`,
    )
    const missing = unsettled.filter((serial) => !found.has(serial))
    assert.deepEqual(missing, [], `killed after ${endMs} ms`)
    assert.deepEqual(under.lost.entries, [])
  }
})

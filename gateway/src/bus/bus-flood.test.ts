import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertShortTurns } from '@llm-gateway/test/fake/short-turns'
import { watchTasks } from '../work/tasks-under-test.ts'
import { busUnderTest, connected, recordConnectionUnderTest } from './bus-under-test.ts'
import { startFlood } from './flood-under-test.ts'

const MIB = 1024 * 1024

const PAUSES = 5
const PAUSE_MS = 100

/** Texts that a hostile bus repeats, and whether the connection ends. */
const FLOODS: readonly (readonly [name: string, text: string, ends: boolean])[] = [
  ['PINGs', 'PING\r\n', false],
  ['PONGs', 'PONG\r\n', false],
  ['positive answers', '+OK\r\n', false],
  ['INFOs', 'INFO {}\r\n', false],
  ['INFOs of 200 KiB', `INFO {"a":[${'1,'.repeat(100 * 1024)}1]}\r\n`, false],
  ['refused subjects', `-ERR 'Permissions Violation for Publish to "a"'\r\n`, false],
  ['empty messages', 'MSG a 1 0\r\n\r\n', false],
  ['INFOs of 8 MiB', `INFO {"a":"${'x'.repeat(8 * MIB)}"}\r\n`, true],
  ['bytes without a line end', 'x'.repeat(65_536), true],
  ['garbage', '\u0000garbage\r\n', true],
]

for (const [name, text, ends] of FLOODS) {
  test(`a flood of ${name} takes no long turn and little memory, and ${ends ? 'ends the connection' : 'the process goes on'}`, async () => {
    await assertShortTurns(50, async () => {
      await using flood = await startFlood(text)
      await using connection = recordConnectionUnderTest(flood, { timings: { pingIntervalMs: 600_000 } })
      await connected(connection)
      const before = process.memoryUsage.rss()
      using tasks = watchTasks()
      await pauses()
      await flood.until(4 * MIB, 3)
      const grown = process.memoryUsage.rss() - before
      const { ms } = tasks
      assert.ok(grown < 100 * MIB, `${Math.round(grown / MIB)} MiB`)
      const { entries } = connection.lines
      assert.ok(entries.length < 10, `${entries.length} lines`)
      const codes = entries.filter(({ msg }) => msg === 'bus disconnected').map(({ fields }) => fields.code)
      assert.deepEqual([...new Set(codes)], ends ? ['BUS_FAILED'] : [])
      return ms
    })
  })
}

/** Texts that a hostile bus, or hostile processors, send to the connection of calls. */
const CALL_FLOODS: readonly (readonly [name: string, text: string])[] = [
  ['messages without bytes', 'MSG a 1 0\r\n\r\n'],
  ['late replies', `MSG _INBOX.${'x'.repeat(22)}.1 1 40\r\n${'x'.repeat(40)}\r\n`],
]

for (const [name, text] of CALL_FLOODS) {
  test(`a flood of ${name} takes no long turn of the connection of calls`, async () => {
    await assertShortTurns(50, async () => {
      await using flood = await startFlood(text)
      await using bus = busUnderTest(flood, { timings: { pingIntervalMs: 600_000 } })
      await connected(bus)
      using tasks = watchTasks()
      await pauses()
      await flood.until(8 * MIB)
      return tasks.ms
    })
  })
}

/** After a pause of this thread the system has more of the text than one turn may read. */
async function pauses(): Promise<void> {
  for (let pause = 0; pause < PAUSES; pause += 1) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WriteOutcome } from '@llm-gateway/sdk'
import { journalLogger } from '@llm-gateway/sdk/journal-logger-under-test'
import { ShareWriter } from './share-writer.ts'

const WRITTEN: WriteOutcome = { kind: 'written', revision: 1 }
const FULL: WriteOutcome = { kind: 'failed', error: 'full' }
const bytes = (text: string) => Buffer.from(text)

test('many changes of a key within a moment are one write, of the newest value', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { writer, puts } = makeWriter(() => WRITTEN)
  for (let n = 1; n <= 1_000; n++) writer.write(n % 2 === 0 ? 'even' : 'odd', bytes(String(n)))
  t.mock.timers.tick(99)
  assert.deepEqual(puts, [])
  t.mock.timers.tick(1)
  assert.deepEqual(puts.toSorted(), ['even=1000', 'odd=999'])
  await turns()
  t.mock.timers.tick(60_000)
  assert.equal(puts.length, 2)
})

test('failed writes are tried again, newest values first, until their window is over, and logged once', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let outcome: WriteOutcome = FULL
  const over = new Set<string>()
  const { writer, puts, lines } = makeWriter(() => outcome, over)
  writer.write('a', bytes('1'))
  writer.write('b', bytes('1'))
  t.mock.timers.tick(100)
  await turns()
  writer.write('a', bytes('2'))
  t.mock.timers.tick(1_000)
  await turns()
  over.add('b')
  t.mock.timers.tick(1_000)
  await turns()
  assert.deepEqual(puts.toSorted(), ['a=1', 'a=2', 'a=2', 'b=1', 'b=1', 'b=1'])
  outcome = WRITTEN
  t.mock.timers.tick(1_000)
  await turns()
  assert.deepEqual(puts.slice(6), ['a=2'])
  assert.deepEqual(
    lines.map(({ message, fields }) => [message, fields]),
    [
      ['used tokens could not be written to the key-value store', { reason: 'full' }],
      ['used tokens are written to the key-value store again', {}],
    ],
  )
})

test('the values of a thousand routers are written a few at a time, each once', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let open = 0
  let most = 0
  const written = new Set<string>()
  const put = async (key: string): Promise<WriteOutcome> => {
    open += 1
    most = Math.max(most, open)
    await new Promise(setImmediate)
    open -= 1
    written.add(key)
    return WRITTEN
  }
  const writer = new ShareWriter({ keyValue: { put }, logger: journalLogger().logger, isOver: () => false })
  for (let n = 0; n < 1_000; n++) writer.write(`${n}`, bytes('1'))
  t.mock.timers.tick(100)
  while (open > 0) await turns()
  assert.equal(written.size, 1_000)
  assert.ok(most <= 100, `${most} writes at once`)
})

test('closing writes waiting values once', async () => {
  const { writer, puts } = makeWriter(() => FULL)
  writer.write('a', bytes('1'))
  await writer.close()
  writer.write('a', bytes('2'))
  assert.deepEqual(puts, ['a=1'])
})

function makeWriter(outcome: () => WriteOutcome, over: ReadonlySet<string> = new Set()) {
  const puts: string[] = []
  const { logger, lines } = journalLogger()
  const put = async (key: string, value: Uint8Array): Promise<WriteOutcome> => {
    puts.push(`${key}=${Buffer.from(value)}`)
    return outcome()
  }
  const writer = new ShareWriter({ keyValue: { put }, logger, isOver: (key) => over.has(key) })
  return { writer, puts, lines: lines.entries }
}

/** Waits until all ready callbacks have run. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate)
}

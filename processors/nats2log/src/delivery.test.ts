import assert from 'node:assert/strict'
import { test } from 'node:test'
import { journalLogger } from '@llm-gateway/sdk/journal-logger-under-test'
import { Delivery, type DeliveryOptions } from './delivery.ts'
import { Tally } from './tally.ts'
import { type Attempt, allFailed, DELIVERED, type SinkRecord, type Writer } from './writer.ts'

const DONE = 60_000
const record = (text: string): SinkRecord => ({ bytes: new TextEncoder().encode(text) })
const text = ({ bytes }: SinkRecord) => new TextDecoder().decode(bytes)
/** How a try ends, by the text of a record: a code, with `!` behind it where another try can't help. */
type Script = Readonly<Record<string, string>>
const all = (code: string): Script => ({ '*': code })

test('records arrive in order and in batches', async () => {
  const { writer, batches } = scripted([], { records: 3, bytes: 100 })
  const { delivery, totals } = started({ writer })
  for (const name of ['a', 'b', 'c', 'd']) delivery.take(record(name))
  delivery.take(record('x'.repeat(200)))
  await delivery.drain(DONE)
  assert.deepEqual(batches, [['a', 'b', 'c'], ['d'], ['x'.repeat(200)]])
  assert.deepEqual(totals(), { delivered: 5, failed: {}, repeats: 0 })
})

test('issue 12, 7: a record that a writer throws at is lost alone, and nothing ends', async () => {
  const seen: string[] = []
  const writer: Writer = {
    batch: { records: 10, bytes: 1_000 },
    concurrency: 1,
    open: async () => undefined,
    write: async (records) => {
      if (records.some((one) => text(one) === 'bad')) throw new RangeError('planted-secret')
      seen.push(...records.map(text))
      return DELIVERED
    },
    close: async () => undefined,
  }
  const outcomes: string[] = []
  const settled: DeliveryOptions['settled'] = (one, isDelivered) => outcomes.push(`${text(one)} ${isDelivered}`)
  const { delivery, totals } = started({ writer, settled })
  for (const name of ['a', 'bad', 'b']) delivery.take(record(name))
  await delivery.drain(DONE)
  assert.deepEqual(
    [seen, outcomes.toSorted()],
    [
      ['a', 'b'],
      ['a true', 'b true', 'bad false'],
    ],
  )
  assert.deepEqual(totals(), { delivered: 2, failed: { UNWRITABLE: 1 }, repeats: 0 })
})

test('wire 1.2: what was not delivered is tried again retries times, without what was, then counted and logged', async () => {
  const attempts = [{ b: 'ENOSPC', c: 'ENOSPC' }, all('ENOSPC'), all('ENOSPC')]
  const { writer, batches } = scripted(attempts)
  const { delivery, totals, lines } = started({ writer, retries: 2 })
  for (const name of ['a', 'b', 'c']) delivery.take(record(name))
  await delivery.drain(DONE)
  assert.deepEqual(batches, [
    ['a', 'b', 'c'],
    ['b', 'c'],
    ['b', 'c'],
  ])
  assert.deepEqual(lines[0], { level: 'WARN', message: 'records not delivered', fields: { count: 2, code: 'ENOSPC' } })
  assert.deepEqual(totals(), { delivered: 1, failed: { ENOSPC: 2 }, repeats: 0 })
})

test('a retry that succeeds loses nothing; what another try can’t help is given up at once', async () => {
  const { writer, batches } = scripted([all('HTTP_503'), {}, all('HTTP_400!')], { records: 1, bytes: 0 })
  const { delivery, totals } = started({ writer })
  for (const name of ['a', 'b']) delivery.take(record(name))
  await delivery.drain(DONE)
  assert.deepEqual(batches, [['a'], ['a'], ['b']])
  assert.deepEqual(totals(), { delivered: 1, failed: { HTTP_400: 1 }, repeats: 0 })
})

test('of a batch only the records that another try may help are tried again; the others are lost at once, each with its code', async () => {
  const { writer, batches } = scripted([{ b: 'HTTP_429', c: 'HTTP_400!', d: 'HTTP_503' }, { d: 'HTTP_400!' }])
  const { delivery, totals } = started({ writer })
  for (const name of ['a', 'b', 'c', 'd']) delivery.take(record(name))
  await delivery.drain(DONE)
  assert.deepEqual(batches, [
    ['a', 'b', 'c', 'd'],
    ['b', 'd'],
  ])
  assert.deepEqual(totals(), { delivered: 2, failed: { HTTP_400: 2 }, repeats: 0 })
})

test('a target that asks to be left alone is, for as long as it says but no more than a minute', async () => {
  const asked = [5_000, 3_600_000, 0]
  const { writer } = scripted(asked.map(() => all('HTTP_429')))
  const waits: number[] = []
  const wait = async (milliseconds: number): Promise<boolean> => waits.push(milliseconds) > 0
  const write: Writer['write'] = async (records) => {
    return { ...(await writer.write(records)), retryAfterMs: asked[waits.length] ?? 0 }
  }
  const { delivery, totals } = started({ writer: { ...writer, write }, retryDelayMs: 250, wait })
  delivery.take(record('a'))
  await delivery.drain(DONE)
  assert.deepEqual(waits, [5_000, 60_000, 250])
  assert.deepEqual(totals(), { delivered: 1, failed: {}, repeats: 0 })
})

test('the queue is bounded in bytes, and a flood of losses is one line', async () => {
  const { writer } = scripted([])
  const { delivery, totals, lines } = started({ writer, queueBytes: 10 })
  for (let count = 0; count < 1_000; count++) delivery.take(record('four'))
  await delivery.drain(DONE)
  assert.equal(lines.length, 1)
  assert.deepEqual(totals(), { delivered: 2, failed: { QUEUE_FULL: 998 }, repeats: 0 })
  delivery.take(record('more'))
  await delivery.drain(DONE)
  assert.deepEqual(totals(), { delivered: 3, failed: { QUEUE_FULL: 998 }, repeats: 0 })
})

test('at the end of its time a drain gives up what a failing writer keeps, and counts it', async () => {
  const { writer } = scripted(
    Array.from({ length: 9 }, () => all('EIO')),
    { records: 1, bytes: 0 },
  )
  const { delivery, totals } = started({ writer, retryDelayMs: 60_000 })
  for (const name of ['a', 'b']) delivery.take(record(name))
  await delivery.drain(20)
  assert.deepEqual(totals(), { delivered: 0, failed: { EXIT: 2 }, repeats: 0 })
})

test('a writer that takes several tries at a time gets no more than those', async () => {
  let running = 0
  let most = 0
  const write = async (): Promise<Attempt> => {
    running += 1
    most = Math.max(most, running)
    await new Promise(setImmediate)
    running -= 1
    return DELIVERED
  }
  const writer = { ...scripted([], { records: 1, bytes: 0 }).writer, concurrency: 3, write }
  const { delivery, totals } = started({ writer })
  for (let count = 0; count < 50; count++) delivery.take(record('x'))
  await delivery.drain(DONE)
  assert.equal(most, 3)
  assert.deepEqual(totals(), { delivered: 50, failed: {}, repeats: 0 })
})

/** A writer whose first tries end as written, the later ones well. */
function scripted(attempts: readonly Script[], batch: Writer['batch'] = { records: 100, bytes: 1_000 }) {
  const batches: (readonly string[])[] = []
  const write = async (records: readonly SinkRecord[]): Promise<Attempt> => {
    batches.push(records.map(text))
    return attemptOf(records, attempts[batches.length - 1] ?? {})
  }
  const writer: Writer = { batch, concurrency: 1, open: async () => undefined, write, close: async () => undefined }
  return { writer, batches }
}

function attemptOf(records: readonly SinkRecord[], script: Script): Attempt {
  const failed = records.flatMap((tried) => {
    const code = script[text(tried)] ?? script['*']
    if (code === undefined) return []
    return allFailed([tried], { code: code.replace('!', ''), again: !code.endsWith('!') }).failed
  })
  return { failed }
}

function started(options: Pick<DeliveryOptions, 'writer'> & Partial<DeliveryOptions>) {
  const { logger, lines } = journalLogger()
  const tally = new Tally(logger)
  const delivery = new Delivery({ retries: 3, retryDelayMs: 1, queueBytes: 10_000, ...options, tally })
  const totals = () => {
    tally.report()
    return lines.entries.findLast((line) => line.message === 'records written')?.fields
  }
  return { delivery, totals, lines: lines.entries }
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { journalLogger } from '@llm-gateway/sdk/journal-logger-under-test'
import { type Attempt, allFailed, DELIVERED, type SinkRecord, type Writer } from '../targets/writer.ts'
import { BackOff } from './back-off.ts'
import { type DeliverOptions, deliver } from './deliver.ts'
import { OutcomeCounts } from './outcome-counts.ts'

const record = (text: string): SinkRecord => ({ bytes: new TextEncoder().encode(text) })
const text = ({ bytes }: SinkRecord) => new TextDecoder().decode(bytes)
/** The result of a try by the record's text: a code, with `!` at the end when another try can't help. */
type Script = Readonly<Record<string, string>>
const all = (code: string): Script => ({ '*': code })

test('records arrive in order and in batches', async () => {
  const { writer, batches } = scripted([], { records: 3, bytes: 100 })
  const { run, totals } = delivery({ writer })
  await run(['a', 'b', 'c', 'd', 'x'.repeat(200)])
  assert.deepEqual(batches, [['a', 'b', 'c'], ['d'], ['x'.repeat(200)]])
  assert.deepEqual(totals(), { delivered: 5, failed: {}, repeats: 0 })
})

test('failed records are tried again until they succeed, without the delivered records', async () => {
  const attempts = [{ b: 'ENOSPC', c: 'ENOSPC' }, ...Array.from({ length: 40 }, () => all('ENOSPC'))]
  const { writer, batches } = scripted(attempts)
  const { run, totals, lines, waits } = delivery({ writer })
  await run(['a', 'b', 'c'])
  assert.equal(batches.length, 42)
  assert.deepEqual(batches.at(-1), ['b', 'c'])
  assert.deepEqual(lines[0], {
    level: 'WARN',
    message: 'records wait for the target',
    fields: { count: 2, code: 'ENOSPC' },
  })
  assert.equal(lines.length, 1)
  assert.deepEqual(totals(), { delivered: 3, failed: {}, repeats: 0 })
  assert.deepEqual(waits.slice(0, 10), [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000])
})

test('a record whose write throws, and a record that the target refuses, do not affect the rest of the batch', async () => {
  const { writer, batches } = scripted([{ b: 'HTTP_429', c: 'HTTP_400!', d: 'HTTP_503' }, { d: 'HTTP_400!' }])
  const { run, refused, totals } = delivery({ writer })
  await run(['a', 'b', 'c', 'd'])
  assert.deepEqual(batches, [
    ['a', 'b', 'c', 'd'],
    ['b', 'd'],
  ])
  assert.deepEqual(refused, ['c HTTP_400', 'd HTTP_400'])
  assert.deepEqual(totals(), { delivered: 2, failed: {}, repeats: 0 })
  const write: Writer['write'] = async (records) => {
    if (records.some((record) => text(record) === 'bad')) throw new RangeError('planted-secret')
    return DELIVERED
  }
  const other = delivery({ writer: { ...writer, write } })
  await other.run(['a', 'bad', 'b'])
  assert.deepEqual([other.refused, other.delivered], [['bad UNWRITABLE'], ['a', 'b']])
})

test('a refused record that cannot be kept is tried again and reported once', async () => {
  const { writer } = scripted([all('HTTP_400!'), all('HTTP_400!')])
  const { run, refused, delivered } = delivery({ writer, refuse: async () => false })
  await run(['a'])
  assert.deepEqual([refused, delivered], [[], ['a']])
})

test('Retry-After of a target is followed, at most for a minute', async () => {
  const asked = [5_000, 3_600_000, 0]
  const { writer } = scripted(asked.map(() => all('HTTP_429')))
  const { run, waits } = delivery({
    writer: {
      ...writer,
      write: async (records) => ({ ...(await writer.write(records)), retryAfterMs: asked[waits.length] ?? 0 }),
    },
  })
  await run(['a'])
  assert.deepEqual(waits, [5_000, 60_000, 1_000])
})

test('an aborted delivery does not report the remaining records', async () => {
  const stop = new AbortController()
  const { writer } = scripted(
    Array.from({ length: 9 }, () => all('EIO')),
    { records: 1, bytes: 0 },
  )
  const { run, delivered, refused, totals } = delivery({
    writer,
    signal: stop.signal,
    wait: async () => {
      stop.abort()
      return false
    },
  })
  await run(['a', 'b'])
  assert.deepEqual([delivered, refused, totals()], [[], [], { delivered: 0, failed: {}, repeats: 0 }])
})

test('a writer never gets more parallel tries than its concurrency', async () => {
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
  const { run, totals } = delivery({ writer })
  await run(Array.from({ length: 50 }, () => 'x'))
  assert.equal(most, 3)
  assert.deepEqual(totals(), { delivered: 50, failed: {}, repeats: 0 })
})

/** Makes a writer whose first tries end as scripted and whose later tries succeed. */
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

function delivery(options: Pick<DeliverOptions, 'writer'> & Partial<DeliverOptions>) {
  const { logger, lines } = journalLogger()
  const counts = new OutcomeCounts(logger)
  const delivered: string[] = []
  const refused: string[] = []
  const waits: number[] = []
  const backOff = new BackOff(
    () => 0,
    () => 1,
  )
  const run = (texts: readonly string[]) =>
    deliver(texts.map(record), {
      counts,
      backOff,
      delivered: (record) => delivered.push(text(record)),
      refuse: async (one, code) => refused.push(`${text(one)} ${code}`) > 0,
      signal: new AbortController().signal,
      wait: async (milliseconds) => waits.push(milliseconds) > 0,
      ...options,
    })
  const totals = () => {
    counts.report()
    return lines.entries.findLast((line) => line.message === 'records written')?.fields
  }
  return { run, totals, delivered, refused, waits, lines: lines.entries }
}

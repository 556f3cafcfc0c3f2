import assert from 'node:assert/strict'
import { test } from 'node:test'
import { journalLogger } from '@llm-gateway/sdk/journal-logger-under-test'
import { type Attempt, allFailed, DELIVERED, type SinkRecord, type Writer } from '../targets/writer.ts'
import { BackOff } from './back-off.ts'
import { Delivery, type DeliveryOptions } from './delivery.ts'
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
  const { run, totals, lines, waits } = delivery({ writer: { ...writer, keepsBatches: true } })
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
  const { writer, batches } = scripted([{ b: 'HTTP_429', c: 'HTTP_400!', d: 'HTTP_503' }, {}, { d: 'HTTP_400!' }])
  const { run, refused, totals } = delivery({ writer })
  await run(['a', 'b', 'c', 'd'])
  assert.deepEqual(batches, [['a', 'b', 'c', 'd'], ['b'], ['d']])
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
      keepsBatches: true,
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

test('a record that its target never takes holds up no others, and becomes a dead letter after 12 refusals', async () => {
  for (const batch of [1, 8]) {
    const { writer, batches } = firewall({ batch })
    using sink = delivery({ writer })
    const { deliver, delivered, refused } = sink
    await deliver(['bad', 'n0', 'n1', 'n2', 'n3'])
    assert.deepEqual(delivered.toSorted(), ['n0', 'n1', 'n2', 'n3'], `batches of ${batch}`)
    let neighbours = 4
    for (; refused.length === 0; neighbours += 1) {
      assert.ok(neighbours < 1_000)
      await deliver([`n${neighbours}`])
    }
    assert.deepEqual(refused, ['bad HTTP_500'])
    const alone = batches.filter((records) => records.join() === 'bad').length
    assert.ok(alone >= 13 && alone < 30, `${alone} tries`)
    assert.equal(new Set(delivered).size, neighbours)
    assert.equal(delivered.length, neighbours)
  }
})

test('a faulty record is found among the records of a batch by halves', async () => {
  for (const place of [0, 255, 511]) {
    const { writer, batches } = firewall({ batch: 512 })
    using sink = delivery({ writer })
    const { deliver, delivered } = sink
    const texts = Array.from({ length: 512 }, (_, n) => (n === place ? 'bad' : `n${n}`))
    await deliver(texts)
    assert.equal(new Set(delivered).size, 511)
    assert.equal(delivered.length, 511)
    const shared = batches.filter((records) => records.length > 1 || records[0] !== 'bad')
    assert.ok(shared.length <= 20, `${shared.length} batches`)
  }
})

test('while the target takes nothing, tries wait for the back-off, and no record is refused or lost', async () => {
  for (const batch of [1, 4]) {
    const { writer, batches } = firewall({ batch, until: 3_600_000 })
    const { deliver, delivered, refused, now } = delivery({
      writer: { ...writer, concurrency: 1 },
      clock: writer.clock,
    })
    for (let n = 0; n < 5; n += 1) await deliver(Array.from({ length: 4 }, (_, index) => `n${4 * n + index}`))
    while (delivered.length < 20) await deliver([])
    assert.equal(new Set(delivered).size, 20)
    assert.deepEqual([delivered.length, refused], [20, []])
    assert.ok(now() >= 3_600_000)
    // Once a minute, by the later records and by those that are set aside.
    assert.ok(batches.length < 250, `${batches.length} tries`)
  }
})

test('16 MiB of records are set aside; further ones displace those that were refused most often', async () => {
  const { writer } = firewall({ batch: 1 })
  using sink = delivery({ writer })
  const { deliver, delivered, refused } = sink
  const pad = 'x'.repeat(512 * 1024)
  for (let n = 0; n < 50; n += 1) await deliver([`bad ${n} ${pad}`, `n${n}`, `bad too ${n} ${pad}`, `n too ${n}`])
  assert.equal(delivered.length, 100)
  assert.equal(new Set(refused).size, refused.length)
  // One record beside the 16 MiB may have any size.
  assert.ok(refused.length >= 100 - 33, `${refused.length} dead letters`)
})

test('a target that asks for time gets it, though it takes other records', async () => {
  const { writer } = scripted([{}, { b: 'HTTP_429' }, {}], { records: 1, bytes: 1 })
  const busy: Writer['write'] = async (records) => {
    const { failed } = await writer.write(records)
    return { failed: failed.map((failure) => ({ ...failure, isBusy: true })), retryAfterMs: 7_000 }
  }
  using sink = delivery({ writer: { ...writer, write: busy } })
  const { deliver, delivered, waits } = sink
  await deliver(['a', 'b', 'c'])
  assert.ok(waits.includes(7_000))
  assert.deepEqual(delivered.toSorted(), ['a', 'b', 'c'])
})

/** Makes a writer whose target answers 500 to bodies with `bad`, and to all bodies until a time. */
function firewall({ batch, until = 0 }: { readonly batch: number; readonly until?: number }) {
  const clock = { now: 0 }
  const batches: (readonly string[])[] = []
  const write = async (records: readonly SinkRecord[]): Promise<Attempt> => {
    batches.push(records.map(text))
    const isRefused = clock.now < until || records.some((one) => text(one).startsWith('bad'))
    return isRefused ? allFailed(records, { code: 'HTTP_500', again: true }) : DELIVERED
  }
  const place = { batch: { records: batch, bytes: 1_000_000 }, concurrency: batch === 1 ? 8 : 1 }
  const writer = { ...place, open: async () => undefined, write, close: async () => undefined, clock }
  return { writer, batches }
}

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

type Choices = Pick<DeliveryOptions, 'writer'> & Partial<DeliveryOptions> & { readonly clock?: { now: number } }

function delivery({ clock = { now: 0 }, ...options }: Choices) {
  const { logger, lines } = journalLogger()
  const counts = new OutcomeCounts(logger)
  const delivered: string[] = []
  const refused: string[] = []
  const waits: number[] = []
  const now = (): number => clock.now
  const backOff = (): BackOff => new BackOff(now, () => 1)
  const stop = new AbortController()
  const running = new Delivery({
    counts,
    backOff: backOff(),
    asideBackOff: backOff(),
    delivered: (record) => delivered.push(text(record)),
    refuse: async (one, code) => refused.push(`${text(one)} ${code}`) > 0,
    signal: stop.signal,
    wait: async (milliseconds) => {
      waits.push(milliseconds)
      clock.now += milliseconds
      await new Promise(setImmediate)
      return true
    },
    now,
    ...options,
  })
  /** Delivers, and lets the records that are set aside have some tries. */
  const deliver = async (texts: readonly string[]): Promise<void> => {
    await running.deliver(texts.map(record))
    for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate)
  }
  const run = async (texts: readonly string[]): Promise<void> => {
    await running.deliver(texts.map(record))
    await running.end()
  }
  const totals = () => {
    counts.report()
    return lines.entries.findLast((line) => line.message === 'records written')?.fields
  }
  const dispose = (): void => stop.abort()
  return { run, deliver, totals, delivered, refused, waits, now, lines: lines.entries, [Symbol.dispose]: dispose }
}

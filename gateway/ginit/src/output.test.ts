import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import { until } from './fixture/supervised.ts'
import { createOutput } from './output.ts'

const MIB = 1024 * 1024

/** An output whose reader takes a line at each `read`. */
function start({ running = 600_000, stopping = 600_000 } = {}) {
  const taken: string[] = []
  const dropped: number[] = []
  let take: (() => void) | undefined
  const stream = new Writable({
    decodeStrings: false,
    highWaterMark: 10,
    write(text, _, done) {
      take = () => {
        take = undefined
        taken.push(text)
        done()
      }
    },
  })
  const output = createOutput({ stream, stallMs: { running, stopping }, onDropped: (lines) => dropped.push(lines) })
  const readAll = async () => {
    for (; take !== undefined || stream.writableNeedDrain; await nextTurn()) take?.()
  }
  return { stream, output, taken, dropped, readAll }
}

test('services pass their lines on in turn once a full output is free', async () => {
  const { output, taken, readAll } = start()
  output.write('supervisor')
  assert.ok(output.isFull)
  const pass = (service: string, lines: number) => {
    let left = lines
    const passWhileFree = () => {
      for (; left > 0 && !output.isFull; left -= 1) output.write(`${service} ${left}`.padEnd(10))
      if (left > 0) output.whenFree(passWhileFree)
    }
    passWhileFree()
  }
  pass('noisy', 3)
  pass('calm', 1)
  await readAll()
  await until('all lines', () => taken.length === 5)
  const names = taken.map((line) => line.split(' ')[0])
  assert.deepEqual(names, ['supervisor', 'noisy', 'calm', 'noisy', 'noisy'])
})

for (const isStopping of [false, true]) {
  const when = isStopping ? 'during a stop' : 'without a stop'
  test(`${when} lines that nobody takes hold up no service, and their number is told once they are read`, async () => {
    const { output, taken, dropped, readAll } = start(isStopping ? { stopping: 1 } : { running: 1 })
    output.write('0123456789')
    let isFree = false
    output.whenFree(() => {
      isFree = true
    })
    if (isStopping) output.startStopping()
    await until('the service to go on', () => isFree)
    for (let line = 0; line < 3; line += 1) output.write('dropped')
    assert.equal(await output.flush(), false)
    await readAll()
    assert.deepEqual([taken, dropped], [['0123456789'], [3]])
    output.write('again')
    await readAll()
    assert.equal(taken.at(-1), 'again')
  })
}

test('lines wait for a reader that has not stopped for long, up to 16 Mi characters', async () => {
  const { output, stream, dropped, readAll } = start({ stopping: 1 })
  for (let line = 0; line < 40; line += 1) output.write('x'.repeat(MIB))
  assert.ok(output.isFull)
  assert.equal(stream.writableLength, 17 * MIB)
  await readAll()
  assert.deepEqual(dropped, [23])
})

test('once the reader has gone no service waits, and nothing is left to flush', async () => {
  const { output, stream } = start()
  output.write('0123456789')
  let isFree = false
  output.whenFree(() => {
    isFree = true
  })
  stream.destroy(new Error('EPIPE'))
  await until('the service to go on', () => isFree)
  assert.equal(output.isFull, false)
  output.write('dropped')
  assert.equal(await output.flush(), false)
})

test('lines that find no room on the disk are dropped and counted, and the next line with room is written', async () => {
  const taken: string[] = []
  const dropped: number[] = []
  let isFull = true
  const stream = new Writable({
    decodeStrings: false,
    write: (text, _, done) => {
      if (!isFull) taken.push(text)
      done(isFull ? Object.assign(new Error(), { code: 'ENOSPC' }) : undefined)
    },
    // The stdout of a process stays usable after an error in this way.
    destroy(error, done) {
      done(error)
      const undestroy: unknown = Reflect.get(this, '_undestroy')
      if (typeof undestroy === 'function') undestroy.call(this)
    },
  })
  const output = createOutput({ stream, onDropped: (lines) => dropped.push(lines) })
  for (const line of ['a', 'b']) {
    output.write(line)
    await nextTurn()
    assert.equal(output.isFull, false)
  }
  isFull = false
  output.write('c')
  assert.deepEqual([taken, dropped], [['c'], [2]])
})

test('a flush waits until all lines have left', async () => {
  const { output, taken, readAll } = start()
  output.write('a')
  const flushed = output.flush()
  await readAll()
  assert.equal(await flushed, true)
  assert.equal(taken[0], 'a')
})

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

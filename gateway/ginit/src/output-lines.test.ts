import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { until } from './fixture/supervised.ts'
import { FREE_PACE } from './output.ts'
import { readLines } from './read-lines.ts'

const cases: ReadonlyArray<{
  readonly chunks: readonly Buffer[]
  readonly lines: readonly string[]
  readonly title: string
}> = [
  { title: 'whole lines', chunks: [Buffer.from('a\nb\n')], lines: ['a', 'b'] },
  { title: 'a line in pieces', chunks: [Buffer.from('a'), Buffer.from('b'), Buffer.from('c\n')], lines: ['abc'] },
  { title: 'a last line without its end', chunks: [Buffer.from('a\nb')], lines: ['a', 'b'] },
  { title: 'a carriage return before the end', chunks: [Buffer.from('a\r\nb\n')], lines: ['a', 'b'] },
  {
    title: 'a character cut in two',
    chunks: [Buffer.from('€').subarray(0, 1), Buffer.from('€\n').subarray(1)],
    lines: ['€'],
  },
  { title: 'empty lines', chunks: [Buffer.from('\n\n')], lines: ['', ''] },
  { title: 'nothing', chunks: [], lines: [] },
]

for (const { title, chunks, lines } of cases) {
  test(`output arrives line by line: ${title}`, async () => {
    assert.deepEqual(await linesOf(chunks), lines)
  })
}

test('an endless line is passed on in pieces', async () => {
  const lines = await linesOf(Array.from({ length: 40 }, () => Buffer.alloc(100_000, 'x')))
  assert.ok(lines.length > 1)
  assert.equal(lines.join('').length, 4_000_000)
})

test('while the output is full the lines wait, each is seen nonetheless, and the stream pauses', async () => {
  const stream = new PassThrough()
  const [seen, passed]: [string[], string[]] = [[], []]
  const resumes: (() => void)[] = []
  const pace = { isFull: true, whenFree: (resume: () => void) => void resumes.push(resume) }
  readLines(stream, { onRead: (text) => seen.push(text), onLine: (text) => passed.push(text), pace })
  const lines = Array.from({ length: 3_000 }, (_, index) => `${index}`.padEnd(999, 'x'))
  for (const line of lines) stream.write(`${line}\n`)
  await until('the pause', () => stream.isPaused())
  const read = seen.length
  assert.ok(read >= 256 && read < 400, `${read}`)
  assert.deepEqual([passed, resumes.length], [[], 1])
  pace.isFull = false
  for (const resume of resumes.splice(0)) resume()
  await until('all lines', () => passed.length === 3_000)
  assert.deepEqual(passed, lines)
})

test('while the output is full the stream pauses for many empty lines, too', async () => {
  const stream = new PassThrough()
  let seen = 0
  const pace = { isFull: true, whenFree: () => undefined }
  void readLines(stream, { onRead: () => (seen += 1), onLine: () => undefined, pace })
  for (let chunk = 0; chunk < 100; chunk += 1) stream.write(Buffer.alloc(1_024, '\n'))
  await until('the pause', () => stream.isPaused())
  assert.equal(seen, 4_096)
})

test('the waiting lines pass when the stream ends', async () => {
  const stream = new PassThrough()
  const lines: string[] = []
  const pace = { isFull: true, whenFree: () => undefined }
  const passed = readLines(stream, { onLine: (text) => lines.push(text), pace })
  stream.end('a\nb')
  await passed
  assert.deepEqual(lines, ['a', 'b'])
})

test('the lines of a writer that has ended pass while the output is full, even those that are not read yet', async () => {
  const stream = new PassThrough({ highWaterMark: 1024 * 1024 })
  const ended = Promise.withResolvers<void>()
  const passed: string[] = []
  const pace = { isFull: true, whenFree: () => undefined }
  void readLines(stream, { onLine: (text) => passed.push(text), pace, ended: ended.promise })
  const lines = Array.from({ length: 1_000 }, (_, index) => `${index}`.padEnd(999, 'x'))
  for (const line of lines) stream.write(`${line}\n`)
  await until('the pause', () => stream.isPaused())
  assert.deepEqual(passed, [])
  ended.resolve()
  await until('the last line', () => passed.length === lines.length)
  assert.deepEqual(passed, lines)
})

for (const when of ['while the stream is open', 'after its end']) {
  test(`many short lines pass in several turns ${when}, in order`, async () => {
    const stream = new PassThrough({ highWaterMark: 1 })
    const turns: number[] = []
    let [turn, count] = [0, 0]
    let isOver = false
    const tick = () => {
      turn += 1
      if (!isOver) setImmediate(tick)
    }
    tick()
    const pace = { isFull: when === 'after its end', whenFree: () => undefined }
    const onLine = (text: string) => {
      assert.equal(text, `${count}`)
      count += 1
      turns[turn] = (turns[turn] ?? 0) + 1
    }
    const passed = readLines(stream, { onLine, pace })
    stream.end(Array.from({ length: 20_000 }, (_, index) => `${index}\n`).join(''))
    await passed
    isOver = true
    assert.equal(count, 20_000)
    assert.ok(Math.max(...turns.filter(Boolean)) <= 2 * 1_024, `${turns.filter(Boolean)}`)
  })
}

test('a stream that fails ends with its last lines', async () => {
  const stream = new PassThrough()
  const lines: string[] = []
  const passed = readLines(stream, { onLine: (text) => lines.push(text), pace: FREE_PACE })
  stream.write('a\nb')
  await until('the first line', () => lines.length === 1)
  stream.destroy(new Error('EIO'))
  await passed
  assert.deepEqual(lines, ['a', 'b'])
})

async function linesOf(chunks: readonly Buffer[]): Promise<readonly string[]> {
  const stream = new PassThrough()
  const lines: string[] = []
  const passed = readLines(stream, { onLine: (text) => lines.push(text), pace: FREE_PACE })
  for (const chunk of chunks) stream.write(chunk)
  stream.end()
  await passed
  return lines
}

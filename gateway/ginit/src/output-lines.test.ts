import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { finished } from 'node:stream/promises'
import { test } from 'node:test'
import { until } from './fixture/supervised.ts'
import { FREE_PACE } from './output.ts'
import { readLines } from './service-process.ts'

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
  assert.deepEqual(passed, lines.slice(0, read))
  await until('the other lines', () => passed.length === 3_000)
  assert.deepEqual(passed, lines)
})

test('the waiting lines pass when the stream ends', async () => {
  const stream = new PassThrough()
  const lines: string[] = []
  const pace = { isFull: true, whenFree: () => undefined }
  readLines(stream, { onLine: (text) => lines.push(text), pace })
  stream.end('a\nb')
  await finished(stream)
  await until('the lines', () => lines.length === 2)
  assert.deepEqual(lines, ['a', 'b'])
})

async function linesOf(chunks: readonly Buffer[]): Promise<readonly string[]> {
  const stream = new PassThrough()
  const lines: string[] = []
  readLines(stream, { onLine: (text) => lines.push(text), pace: FREE_PACE })
  for (const chunk of chunks) stream.write(chunk)
  stream.end()
  const closed = Promise.withResolvers<void>()
  stream.once('close', closed.resolve)
  await finished(stream)
  await closed.promise
  return lines
}

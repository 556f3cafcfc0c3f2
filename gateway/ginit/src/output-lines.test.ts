import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { finished } from 'node:stream/promises'
import { test } from 'node:test'
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

async function linesOf(chunks: readonly Buffer[]): Promise<readonly string[]> {
  const stream = new PassThrough()
  const lines: string[] = []
  readLines(stream, (text) => lines.push(text))
  for (const chunk of chunks) stream.write(chunk)
  stream.end()
  const closed = Promise.withResolvers<void>()
  stream.once('close', closed.resolve)
  await finished(stream)
  await closed.promise
  return lines
}

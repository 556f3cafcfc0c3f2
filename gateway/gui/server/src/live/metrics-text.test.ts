import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertShortTurns } from '@llm-gateway/test/fake/short-turns'
import { sampleReader } from './metrics-text.ts'

const NAMES = new Set(['calls'])
/** Longest time of one push of 128 KiB, in CPU time. */
const LONGEST_PUSH_MS = 50

/** Returns the samples of a text that comes in pieces. */
function samplesOf(text: string, pieceLength = text.length) {
  const samples: (readonly [Readonly<Record<string, string>>, number])[] = []
  const reader = sampleReader(NAMES, ({ labels, value }) => samples.push([Object.fromEntries(labels), value]))
  for (let from = 0; from < text.length; from += pieceLength) reader.push(text.slice(from, from + pieceLength))
  reader.end()
  return samples
}

test('labels are read with their escapes, with spaces and a last comma, and a line with other parts is skipped', () => {
  const text = [
    'calls 1',
    'calls{} 2',
    'calls{a="x\\"y\\\\z\\nn",b=""} 3 1700000000',
    'calls{ a = "1" , b="2", } 4',
    'calls{a="1" b="2"} 5',
    'calls{a} 6',
    'calls{a="1"b} 7',
    'other{a="1"} 8',
  ].join('\n')
  for (const pieceLength of [1, 5, text.length])
    assert.deepEqual(samplesOf(text, pieceLength), [
      [{}, 1],
      [{}, 2],
      [{ a: 'x"y\\z\nn', b: '' }, 3],
      [{ a: '1', b: '2' }, 4],
    ])
})

test('a line of more than 8 KiB is skipped, and the next line is read', () => {
  const text = `calls{a="${'x'.repeat(9_000)}"} 1\ncalls 2\n`
  for (const pieceLength of [100, text.length])
    assert.equal(JSON.stringify(samplesOf(text, pieceLength)).slice(0, 100), '[[{},2]]')
})

const PIECE = 128 * 1024
for (const [what, line] of [
  ['characters of a name', `calls{${'a'.repeat(PIECE)}} 1`],
  ['characters of a name and a value', `calls{${'a'.repeat(PIECE)}="x"} 1`],
  ['closing brackets', `calls{${'} '.repeat(PIECE / 2)}`],
  ['escapes', `calls{a="${'\\\\'.repeat(PIECE / 2)}`],
  ['lines of names', `calls{${'a'.repeat(8_000)}} 1\n`.repeat(16)],
] as const)
  test(`a text of ${what} is read in a short turn`, async () => {
    await assertShortTurns(LONGEST_PUSH_MS, async () => {
      const before = process.threadCpuUsage()
      samplesOf(`${line}\n`)
      const { user, system } = process.threadCpuUsage(before)
      return (user + system) / 1_000
    })
  })

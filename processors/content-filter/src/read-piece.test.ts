import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createPieceReader, type ReadPiece } from './read-piece.ts'
import { createSpelling } from './spelling.ts'
import { wordWindows } from './word-windows.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')
const MEBI = 1024 * 1024

test('a cached piece keeps the text around it out of memory', () => {
  const read = createPieceReader(createSpelling(new Set(), new Map()))
  const texts = 1_000
  const before = usedMebibytes()
  for (let count = 0; count < texts; count += 1) readAll(textOf(count), read)
  assert.equal(read('a new piece').words.length, 3)
  // All texts together have 15 MiB.
  const kept = usedMebibytes() - before
  assert.ok(kept < 6, `${kept} MiB`)
})

/** A text of almost 16 KiB with one long piece that no other text has. */
function textOf(count: number): string {
  return `${'so we went on. '.repeat(1_050)}${String(count).padStart(16, 'w')} `
}

function readAll(text: string, read: ReadPiece): void {
  for (const window of wordWindows([text], read)) assert.ok(window === undefined || window.words.length > 0)
}

function usedMebibytes(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed / MEBI
}

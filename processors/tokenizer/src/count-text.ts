import { countBytePairs } from './byte-pairs.ts'
import type { Encoding } from './encodings.ts'

export type TextCount = {
  readonly tokens: number
  /** True when a very long piece was cut, which adds at most one token per cut. */
  readonly estimated: boolean
}

/**
 * Merging time grows with the square of a piece's length. Words, and sentences of scripts without spaces, are shorter.
 */
export const PIECE_CHARACTERS = 512
const PARTS = new RegExp(`[^]{1,${PIECE_CHARACTERS}}`, 'gu')
/** Repeated words of a text are counted once; this bounds the memory for a text of many different words. */
const REMEMBERED_PIECES = 20_000

/** Counts the tokens of a text in linear time; names of special tokens count as plain text. */
export function countText(text: string, { pieces, ranks }: Encoding): TextCount {
  const remembered = new Map<string, number>()
  let tokens = 0
  let estimated = false
  for (const [piece] of text.matchAll(pieces)) {
    const known = remembered.get(piece)
    const count = known ?? countPiece(piece, ranks)
    if (known === undefined && remembered.size < REMEMBERED_PIECES) remembered.set(piece, count)
    tokens += count
    estimated ||= piece.length > PIECE_CHARACTERS
  }
  return { tokens, estimated }
}

function countPiece(piece: string, ranks: Encoding['ranks']): number {
  const parts = piece.length > PIECE_CHARACTERS ? (piece.match(PARTS) ?? []) : [piece]
  return parts.reduce((sum, part) => sum + countBytePairs(Buffer.from(part).toString('latin1'), ranks), 0)
}

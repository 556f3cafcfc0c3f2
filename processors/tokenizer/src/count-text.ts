import { countBytePairs } from './byte-pairs.ts'
import type { Encoding } from './encodings.ts'

export type TextCount = {
  readonly tokens: number
  /** A run of letters without end was cut, which costs a token a cut at most. */
  readonly estimated: boolean
}

/** Merging a piece takes time that grows with the square of its length; words, and sentences of scripts without spaces, are shorter. */
export const PIECE_CHARACTERS = 512
const PARTS = new RegExp(`[^]{1,${PIECE_CHARACTERS}}`, 'gu')
/** Words of one text are counted once; of a text made of different ones not all are remembered. */
const REMEMBERED_PIECES = 20_000

/** How many tokens a text has; names of special tokens are text like any other. Linear in the text's length. */
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

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
/** Repeated words of a text are counted once; the number bounds the memory for a text of many different words. */
const REMEMBERED_PARTS = 20_000

/**
 * Counts the tokens of a text in linear time; names of special tokens count as plain text. `goesOn` is told the length of
 * each part before it is counted; undefined as soon as it returns false.
 */
export function countText(
  text: string,
  { pieces, ranks }: Encoding,
  goesOn: (characters: number) => boolean = () => true,
): TextCount | undefined {
  const remembered = new Map<string, number>()
  let tokens = 0
  let estimated = false
  for (const [piece] of text.matchAll(pieces)) {
    const isLong = piece.length > PIECE_CHARACTERS
    estimated ||= isLong
    for (const part of isLong ? (piece.match(PARTS) ?? []) : [piece]) {
      if (!goesOn(part.length)) return undefined
      const known = remembered.get(part)
      const count = known ?? countBytePairs(Buffer.from(part).toString('latin1'), ranks)
      if (known === undefined && remembered.size < REMEMBERED_PARTS) remembered.set(part, count)
      tokens += count
    }
  }
  return { tokens, estimated }
}

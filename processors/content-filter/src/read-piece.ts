import type { Spelling } from './spelling.ts'

/** What stands between two blanks: its words and what its signs say. */
export type Reading = {
  readonly words: readonly string[]
  readonly opens: boolean
  readonly closes: boolean
  /** A quotation mark by itself: it opens or closes, as the text before it has it. */
  readonly quotes: boolean
  readonly pauses: boolean
  readonly ends: boolean
  /** Written so that a list of words doesn't find it. */
  readonly disguised: boolean
}

export type ReadPiece = (piece: string) => Reading

const SENTENCE_END = /[.!?\u2026\u3002]["')\]*_]*$/
/** What stands before a name and ends no sentence. */
const TITLE = /^["'([]*(?:mrs?|ms|drs?|prof|m|mme|mlle|mm|sra?|srta|hrn?|fr|d[an]?)\.$/
/** A French article or pronoun before a word that is written with signs. */
const ELISION = /^(qu|[cdjlmnst])'(?=[a-z]*[*#%&?_~^@$0-9])/
const PAUSE = /[,;:)-]["']*$/
const TRIM_START = /^[^\p{L}\p{N}$@*]+/u
const TRIM_END = /[^\p{L}\p{N}*$]+$/u
const OPENS = /^[([{*_\u00bf\u00a1]*(?:[a-z]{1,2}')?["']/
const CLOSES = /["'][.,!?;:)\]*_]*$/
/** French puts a blank inside its quotation marks. */
const LONE_QUOTE = /^"[.,!?;:)]*$/
/** Whatever is encoded as base64 has none of the lexicon's words except by chance. */
const OPAQUE = /^(?=.*[0-9])[a-z0-9+/=]{200,}$/
const NOTHING: Reading = {
  words: [],
  opens: false,
  closes: false,
  quotes: false,
  pauses: false,
  ends: false,
  disguised: false,
}
const MAX_CACHED = 20_000
const MAX_CACHED_LENGTH = 32

/** Reads pieces and remembers the short ones, of which a text repeats most. */
export function createPieceReader(spelling: Spelling): ReadPiece {
  const cache = new Map<string, Reading>()
  return (piece) => {
    const cached = cache.get(piece)
    if (cached !== undefined) return cached
    const reading = readPiece(piece, spelling)
    if (piece.length > MAX_CACHED_LENGTH) return reading
    if (cache.size >= MAX_CACHED) cache.clear()
    cache.set(piece, reading)
    return reading
  }
}

function readPiece(piece: string, spelling: Spelling): Reading {
  if (OPAQUE.test(piece)) return NOTHING
  const core = piece.length === 1 ? piece : piece.replace(TRIM_START, '').replace(TRIM_END, '')
  const [elided = '', article] = ELISION.exec(core) ?? []
  const word = core.slice(elided.length)
  const read = word === '' ? [] : spelling.read(word)
  const words = article === undefined ? read : [article, ...read]
  return {
    words,
    opens: words.length > 0 && OPENS.test(piece),
    closes: words.length > 0 && CLOSES.test(piece),
    quotes: LONE_QUOTE.test(piece),
    pauses: PAUSE.test(piece),
    ends: SENTENCE_END.test(piece) && !TITLE.test(piece),
    disguised: read.length === 1 && spelling.isDisguised(word),
  }
}

import type { Spelling } from './spelling.ts'

/** A piece of text between two blanks: its words and the meaning of its signs. */
export type Reading = {
  readonly words: readonly string[]
  readonly opens: boolean
  readonly closes: boolean
  /** True for a quotation mark by itself, which opens or closes depending on the text before. */
  readonly quotes: boolean
  readonly pauses: boolean
  readonly ends: boolean
  /** True when the piece was written in disguise. */
  readonly disguised: boolean
}

export type ReadPiece = (piece: string) => Reading

const SENTENCE_END = /[.!?\u2026\u3002]["')\]*_]*$/
/** Abbreviations before a name, whose full stop doesn't end a sentence. */
const TITLE = /^["'([]*(?:mrs?|ms|drs?|prof|m|mme|mlle|mm|sra?|srta|hrn?|fr|d[an]?)\.$/
/** A French article or pronoun before a word with masking signs. */
const ELISION = /^(qu|[cdjlmnst])'(?=[a-z]*[*#%&?_~^@$0-9])/
const PAUSE = /[,;:)-]["']*$/
const TRIM_START = /^[^\p{L}\p{N}$@*]+/u
/** Without the look behind, a long row of signs within a piece would be tried anew from each of its signs. */
const TRIM_END = /(?<![^\p{L}\p{N}*$])[^\p{L}\p{N}*$]+$/u
const OPENS = /^[([{*_\u00bf\u00a1]*(?:[a-z]{1,2}')?["']/
const CLOSES = /["'][.,!?;:)\]*_]*$/
/** French has a blank inside quotation marks. */
const LONE_QUOTE = /^"[.,!?;:)]*$/
/** Base64 contains the lexicon's words only by chance. */
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

/** Makes a function that reads pieces and caches the short pieces, which repeat most. */
export function createPieceReader(spelling: Spelling): ReadPiece {
  const cache = new Map<string, Reading>()
  return (piece) => {
    const cached = cache.get(piece)
    if (cached !== undefined) return cached
    if (piece.length > MAX_CACHED_LENGTH) return readPiece(piece, spelling)
    // A piece is a slice of its text, and so are its words: they would keep the whole text in memory.
    const copy = Buffer.from(piece).toString()
    const reading = readPiece(copy, spelling)
    if (cache.size >= MAX_CACHED) cache.clear()
    cache.set(copy, reading)
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

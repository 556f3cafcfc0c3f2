import { CONTRACTIONS, ENDINGS, stemOf, WITH_IS } from './contractions.ts'
import { isCode, leetReadings, type MaskIndex, maskReading } from './disguise.ts'

export type Spelling = {
  /** Returns the words in a piece of folded text between blanks; none for bare punctuation. */
  read(piece: string): readonly string[]
  /** Returns whether the piece is a word in disguise. */
  isDisguised(piece: string): boolean
}

const PLAIN = /^[a-z]+$/
const LETTERS = /\p{L}/u
const NOT_IN_WORDS = /[^\p{L}\p{N}]+/u
const RUN = /(.)\1{2,}/
const DOUBLE = /(.)\1+/g
/** Longer pieces aren't words and are read in parts. */
const MAX_PIECE = 48
const MIN_SQUEEZED = 4
/** Matches a doubled vowel, which is rare in ordinary words. */
const DOUBLE_VOWEL = /([aeiou])\1/
const MIN_JOINED = 4

/** Makes a reader of pieces that recognizes disguised words of the lexicon. */
export function createSpelling(vocabulary: ReadonlySet<string>, masks: MaskIndex): Spelling {
  const hidden = new Set([...masks.values()].flat())
  const squeezed = new Map(
    [...vocabulary]
      .map((word) => [word.replace(DOUBLE, '$1'), word] as const)
      .filter(([key]) => key.length >= MIN_SQUEEZED),
  )

  /**
   * Returns the known word for the letters: unchanged, a plural, with repeated letters, or with a known stem inside.
   */
  const knownAs = (word: string): readonly string[] | undefined => {
    const contracted = CONTRACTIONS.get(word)
    if (contracted !== undefined) return contracted
    if (vocabulary.has(word)) return [word]
    const stem = stemOf(word)
    if (stem !== undefined) return [stem]
    if (word.endsWith('s') && word.length > MIN_JOINED && vocabulary.has(word.slice(0, -1))) return [word.slice(0, -1)]
    return RUN.test(word) ? drawnOut(word) : doubled(word)
  }
  const drawnOut = (word: string): readonly string[] | undefined => {
    const two = word.replace(/(.)\1{2,}/g, '$1$1')
    const one = word.replace(/(.)\1{2,}/g, '$1')
    for (const shorter of [two, one]) {
      if (vocabulary.has(shorter)) return [shorter]
      const contracted =
        CONTRACTIONS.get(shorter) ?? (stemOf(shorter) === undefined ? undefined : [stemOf(shorter) ?? ''])
      if (contracted !== undefined) return contracted
    }
    return doubled(word)
  }
  const doubled = (word: string): readonly string[] | undefined => {
    const key = word.replace(DOUBLE, '$1')
    const known = key === word || key.length < MIN_SQUEEZED ? undefined : squeezed.get(key)
    if (known === undefined || known.length > word.length) return undefined
    // French `salle` is not a lengthened `sale`.
    return hidden.has(known) || DOUBLE_VOWEL.test(word) ? [known] : undefined
  }

  const read = (piece: string): readonly string[] => {
    if (PLAIN.test(piece)) return knownAs(piece) ?? [piece]
    if (!LETTERS.test(piece)) return /[0-9$@]/.test(piece) ? [piece] : []
    return disguised(piece) ?? inParts(piece)
  }
  const disguised = (piece: string): readonly string[] | undefined => {
    if (isCode(piece)) return undefined
    const joined = piece.replace(/[^\p{L}\p{N}$@!|+]+/gu, '')
    const isSplit = joined !== piece
    for (const reading of [joined, ...leetReadings(joined)]) {
      if (!PLAIN.test(reading) || reading.length < (isSplit ? MIN_JOINED : 2)) continue
      const known = knownAs(reading)
      if (known !== undefined) return known
    }
    const masked = maskReading(piece, masks)
    return masked === undefined ? undefined : [masked]
  }
  const inParts = (piece: string): readonly string[] => {
    const parts = piece.split(NOT_IN_WORDS).filter((part) => part !== '')
    // Asked once for all parts: the question takes as long as the piece.
    const isDisguisable = parts.some((part) => !PLAIN.test(part)) && !isCode(piece)
    return parts.flatMap((part) =>
      PLAIN.test(part) ? (knownAs(part) ?? [part]) : ((isDisguisable ? disguised(part) : undefined) ?? [part]),
    )
  }

  return {
    isDisguised: (piece) =>
      !PLAIN.test(piece) && piece.length <= MAX_PIECE && LETTERS.test(piece) && disguised(piece) !== undefined,
    read: (piece) => (piece.length > MAX_PIECE ? inParts(piece) : (withApostrophe(piece, read) ?? read(piece))),
  }
}

function withApostrophe(piece: string, read: (part: string) => readonly string[]): readonly string[] | undefined {
  const at = piece.lastIndexOf("'")
  if (at <= 0) return undefined
  const before = piece.slice(0, at)
  const after = piece.slice(at + 1)
  if (after === 't' || after === 's') {
    const contracted = CONTRACTIONS.get(`${before}${after}`)
    if (contracted !== undefined) return contracted
    return after === 's' ? [...read(before), ...(WITH_IS.has(before) ? ['is'] : [])] : undefined
  }
  const ending = ENDINGS.get(after)
  return ending === undefined ? undefined : [...read(before), ...ending]
}

/** Signs read as letters. The second map has the other letter of ambiguous signs. */
const LEET: readonly ReadonlyMap<string, string>[] = [
  new Map(
    Object.entries({
      0: 'o',
      1: 'i',
      3: 'e',
      4: 'a',
      5: 's',
      6: 'g',
      7: 't',
      8: 'b',
      9: 'g',
      '@': 'a',
      $: 's',
      '!': 'i',
      '|': 'i',
      '+': 't',
    }),
  ),
  new Map(
    Object.entries({
      0: 'o',
      1: 'l',
      2: 'z',
      3: 'e',
      4: 'a',
      5: 's',
      6: 'b',
      7: 't',
      8: 'b',
      9: 'g',
      '@': 'a',
      $: 's',
      '!': 'l',
      '|': 'l',
      '+': 't',
    }),
  ),
]
const LEET_SIGN = /[0-9@$!|+]/
const HAS_LETTER = /[a-z]/
const MASKED = /^[a-z0-9]*[*#%&?_.~^@$!+=-]+[a-z0-9*#%&?_.~^@$!+=-]*$/
const MASK_SIGN = /[^a-z]/
/** Signs that mask letters. */
const STARS = /[*#%]|[_&?~^-]{2,}/

const MIN_MASKED = 4

/** Words by first letter and length, the candidates for a masked word. */
export type MaskIndex = ReadonlyMap<string, readonly string[]>

export function createMaskIndex(words: Iterable<string>): MaskIndex {
  const index = new Map<string, string[]>()
  for (const word of words) {
    const key = `${word.slice(0, 1)}${word.length}`
    index.set(key, [...(index.get(key) ?? []), word])
  }
  return index
}

/** Digits that stand for letters are among letters: `b1tch`, not `a55`, `1d10` or `b17-ch`. */
const DIGIT = /[0-9]/
const DIGITS = /[0-9]/g
const LETTERS = /[a-z]/g
const SEPARATED = /[^a-z0-9@$!|+*]+/
const ENDS_IN_NUMBER = /^[a-z]+[0-9]{2,}$/
const SHORT_LEET: ReadonlySet<string> = new Set(['y0u', '4re', '4nd', 'th3', 'd1e', 'c0n'])
const ID10T: ReadonlySet<string> = new Set(['id10t', '1d10t', '1d1ot'])
const MIN_LEET = 4

/**
 * Returns whether the digits of a piece belong to a code (a product, a part, a room) rather than being disguised
 * letters.
 */
export function isCode(piece: string): boolean {
  if (!DIGIT.test(piece) || ID10T.has(piece) || SHORT_LEET.has(piece)) return false
  const parts = piece.split(SEPARATED).filter((part) => part !== '')
  // A word hidden between separators has one after each letter.
  if (parts.length > 1) return parts.some((part) => part.length > 1)
  const digits = piece.match(DIGITS)?.length ?? 0
  const letters = piece.match(LETTERS)?.length ?? 0
  return piece.length < MIN_LEET || digits > letters || ENDS_IN_NUMBER.test(piece)
}

/**
 * Returns the readings of a piece with signs as letters; none for a piece without letters, such as a number or a price.
 */
export function leetReadings(piece: string): readonly string[] {
  if (!LEET_SIGN.test(piece) || !HAS_LETTER.test(piece)) return []
  // An exclamation mark at the end isn't a letter.
  const word = piece.replace(/!+$/, '')
  return [...new Set([word, ...LEET.map((letters) => [...word].map((sign) => letters.get(sign) ?? sign).join(''))])]
}

/** Returns the word whose middle is masked, such as `f**k`; undefined when no word fits or too few letters are left. */
export function maskReading(piece: string, index: MaskIndex): string | undefined {
  if (!MASKED.test(piece) || !STARS.test(piece)) return undefined
  // `a*s` may be a multiplication, `a**` isn't.
  if (piece.length < MIN_MASKED && !piece.endsWith('**')) return undefined
  const candidates = index.get(`${piece.slice(0, 1)}${piece.length}`)
  return candidates?.find((word) => fits(word, piece))
}

function fits(word: string, piece: string): boolean {
  const letters = [...piece]
  return letters.every((sign, index) => MASK_SIGN.test(sign) || sign === word[index])
}

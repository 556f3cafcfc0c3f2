/** Invisible characters: format characters, combining marks, Hangul fillers. */
const UNSEEN = /[\p{Cf}\p{M}\u115F\u1160\u3164\uFFA0]+/gu
/** Tag characters, which a model reads and a person doesn't see; each is an ASCII character plus 0xE0000. */
const TAGS = /[\u{E0020}-\u{E007E}]/gu
const TAG_OFFSET = 0xe0000
const NOT_ASCII = /[^\p{ASCII}]/u
const FOREIGN = /[^\p{ASCII}]/gu

/** The characters folded at a time. */
const CHUNK = 16_384
/** The characters folded at a time beside foreign ones: NFKC makes 18 characters of one. */
const FOREIGN_CHUNK = 1_024

/**
 * Folds a text to small letters of one alphabet, without marks and invisible characters. Takes linear time, and a few
 * milliseconds for each part that it yields.
 */
export function* fold(text: string): Generator<string> {
  for (const chunk of cut(text, CHUNK)) {
    if (!NOT_ASCII.test(chunk)) yield chunk.toLowerCase()
    else {
      for (const part of cut(chunk, FOREIGN_CHUNK)) yield foldForeign(part)
      yield hiddenText(chunk)
    }
  }
}

function foldForeign(text: string): string {
  const seen = text.normalize('NFKC').toLowerCase().normalize('NFD').replace(UNSEEN, '')
  return seen.replace(FOREIGN, (character) => READ_AS.get(character) ?? character)
}

function* cut(text: string, limit: number): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const end = start + limit
    // Doesn't cut a surrogate pair.
    const next = isHighSurrogate(text.charCodeAt(end - 1)) ? end + 1 : end
    yield text.slice(start, next)
    start = next
  }
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

/** Returns the text of the tag characters as a sentence of its own, since it would break up the words around it. */
function hiddenText(text: string): string {
  const tags = text.match(TAGS)
  if (tags === null) return ''
  return `. ${tags.map((tag) => String.fromCharCode((tag.codePointAt(0) ?? TAG_OFFSET) - TAG_OFFSET)).join('')} . `.toLowerCase()
}

/**
 * Letters of other alphabets that look like Latin letters and that NFKC keeps. A Latin letter, a colon, its
 * look-alikes.
 */
const LOOK_ALIKES = `
a:аαɑᴀ∂ⲁꭺ b:ьвʙɓЬ c:сϲᴄƈⅽⲥ d:ԁɗᴅđԀ e:еєεɛᴇəёҽ f:ƒғꜰϝ g:ɡɢցġ h:һнʜհђ i:іıɩιїɪӏ¡Ꭵ j:јʝᴊ k:кκᴋқⲕ
l:ʟłⅼߊ m:мᴍɱⲙ n:пηɴпոռŋ o:оοσօөøᴏⲟ০ p:рρᴘþⲣ q:ԛգ r:гʀɾᴦꭇ s:ѕꜱʂֆ t:тτᴛţŧ u:υսʊᴜцμ v:ѵνᴠ w:ѡωԝшщᴡɯ x:хχӿ
y:уγүʏყ c:©¢ e:€ l:£ r:® s:§ t:†‡ x:× y:¥ z:ᴢʐȥ
`
const SPELLED: readonly (readonly [string, string])[] = [
  ['ß', 'ss'],
  ['æ', 'ae'],
  ['œ', 'oe'],
  ...['\u201c', '\u201d', '\u201e', '\u00ab', '\u00bb', '\u300c', '\u300d'].map((quote) => [quote, '"'] as const),
  ...['\u2018', '\u2019', '\u00b4', '\u02bc'].map((apostrophe) => [apostrophe, "'"] as const),
  ...['\u2010', '\u2011', '\u2012', '\u2013', '\u2014', '\u00b7', '\u2022', '\u2219'].map(
    (dash) => [dash, '-'] as const,
  ),
  // Gestures with the meaning of words.
  ['🖕', ' fuckyou '],
]
/** Whole alphabets of boxed letters, and the letters of flags; each number is the alphabet's `a`. */
const ALPHABETS: readonly number[] = [0x1f130, 0x1f150, 0x1f170, 0x1f1e6]
const LETTERS = 26
const A = 'a'.charCodeAt(0)

/** Character → its reading. */
const READ_AS: ReadonlyMap<string, string> = new Map([
  ...LOOK_ALIKES.trim()
    .split(/\s+/)
    .flatMap((entry) => [...entry.slice(2)].map((character) => [character, entry.slice(0, 1)] as const)),
  ...SPELLED,
  ...ALPHABETS.flatMap((first) =>
    Array.from(
      { length: LETTERS },
      (_, index) => [String.fromCodePoint(first + index), String.fromCharCode(A + index)] as const,
    ),
  ),
])

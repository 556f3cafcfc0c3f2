import { READ_AS } from './look-alikes.ts'

/** What is not seen: format characters, combining marks, the fillers of Hangul. */
const UNSEEN = /[\p{Cf}\p{M}\u115F\u1160\u3164\uFFA0]+/gu
/** Characters that say text to a model and nothing to a reader; each is an ASCII character plus 0xE0000. */
const TAGS = /[\u{E0020}-\u{E007E}]/gu
const TAG_OFFSET = 0xe0000
const NOT_ASCII = /[^\p{ASCII}]/u
const FOREIGN = /[^\p{ASCII}]/gu

/** Text as it is read: small letters of one alphabet, without marks and what can't be seen. Linear. */
export function fold(text: string): string {
  if (!NOT_ASCII.test(text)) return text.toLowerCase()
  const seen = text.normalize('NFKC').toLowerCase().normalize('NFD').replace(UNSEEN, '')
  return seen.replace(FOREIGN, (character) => READ_AS.get(character) ?? character) + hiddenText(text)
}

/** What tags say, as a sentence of its own: between other letters it would only hide those. */
function hiddenText(text: string): string {
  const tags = text.match(TAGS)
  if (tags === null) return ''
  return `. ${tags.map((tag) => String.fromCharCode((tag.codePointAt(0) ?? TAG_OFFSET) - TAG_OFFSET)).join('')} . `.toLowerCase()
}

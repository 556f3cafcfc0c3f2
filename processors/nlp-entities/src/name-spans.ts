import { classifyName, type Name } from './classify-name.ts'
import type { Span } from './entity.ts'
import { nameEnd } from './gazetteer.ts'
import { isCapital, nameCandidates } from './name-candidates.ts'
import { nameParts } from './name-parts.ts'
import type { Term } from './tag-text.ts'

/** Words whose full stop belongs to the name. */
const DOTTED_ENDS = /^(?:Inc|Ltd|Corp|Co|Jr|Sr|Bros|S\.A|N\.V|D\.C|U\.S|U\.K|U\.N|S\.p\.A)$/
/** Forms of address, which belong to the name after them; other titles don't. */
const ADDRESS = /(?:^|[^\p{L}])((?:Mr|Mrs|Ms|Mx|Dr)\.? )$/u
const HEADING_WORDS = 4

/** Returns the names of a sentence. */
export function nameSpans(text: string, terms: readonly Term[]): readonly Span[] {
  const inHeading = isHeading(terms)
  const spans: Span[] = []
  for (const candidate of nameCandidates(text, terms)) {
    for (const part of nameParts(candidate)) {
      const name: Name = { ...part, text: textOf(text, part.terms), inHeading }
      const label = classifyName(name)
      if (label === undefined) continue
      const start = part.terms[0]?.start ?? 0
      const address = label === 'PERSON' ? (ADDRESS.exec(text.slice(Math.max(0, start - 6), start))?.[1] ?? '') : ''
      spans.push({ start: start - address.length, end: start + name.text.length, label })
    }
  }
  return spans
}

function textOf(text: string, terms: readonly Term[]): string {
  const last = terms.at(-1)
  if (last === undefined) return ''
  const end = nameEnd(text, last.end)
  const dotted = text[end] === '.' && DOTTED_ENDS.test(last.text) ? end + 1 : end
  return text.slice(terms[0]?.start ?? 0, dotted)
}

function isHeading(terms: readonly Term[]): boolean {
  const words = terms.filter(({ text }) => /^\p{L}{4,}/u.test(text))
  const small = terms.filter(({ text }) => /^\p{Ll}/u.test(text)).length
  return words.length >= HEADING_WORDS && small < words.length && words.every(({ text }) => isCapital(text))
}

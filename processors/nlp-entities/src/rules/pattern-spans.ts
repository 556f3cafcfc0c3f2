import type { Label, Span } from '../entity.ts'

export type LabelPattern = { readonly label: Label; readonly pattern: RegExp }

/** Makes a pattern of whole words in any case; the source may contain look-arounds. */
export function wholeWords(label: Label, source: string): LabelPattern {
  return { label, pattern: new RegExp(`${BEFORE}(?:${source})${AFTER}`, 'giu') }
}

/** Makes a pattern of whole words in their exact case: `May`, `AD`. */
export function exactWords(label: Label, source: string): LabelPattern {
  return { label, pattern: new RegExp(`${BEFORE}(?:${source})${AFTER}`, 'gu') }
}

/** Returns the matches of the patterns. */
export function patternSpans(text: string, patterns: readonly LabelPattern[]): readonly Span[] {
  return patterns.flatMap(({ label, pattern }) =>
    Array.from(text.matchAll(pattern), ({ index, 0: { length } }) => ({ start: index, end: index + length, label })),
  )
}

/** Sources of regular expressions for numbers, to be used with the flags `giu`. */
const ONES = 'one|two|three|four|five|six|seven|eight|nine'
const TEENS = 'ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen'
const TENS = 'twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety'
const SCALES = 'hundred|thousand|million|billion|trillion'
const SMALL = `(?:(?:${TENS})(?:[ -](?:${ONES}))?|${TEENS}|${ONES}|zero)`

/** No letter, digit or currency sign may touch a match. */
const BEFORE = String.raw`(?<![\p{L}\p{N}_$€£¥₹₩@#]|\d[.,:/-]|[\p{L}\p{N}][-–.'’/])`
const AFTER = String.raw`(?![\p{L}\p{N}_]|[.,:/]\d|[-–]\d)`

export const DIGITS = String.raw`(?:\d{1,3}(?:,\d{3}){1,6}|\d{1,18})(?:\.\d{1,12})?`
/** `five`, `twenty-one`, `two hundred and ten thousand`. */
export const SPELLED = `(?:${SMALL}(?:[ -](?:${SCALES})(?:(?: and)? ${SMALL})?){0,6})`
/** `5`, `1,200`, `3.5 million`, `twenty-one`, `a dozen`, `half a million`. */
export const NUMBER = `(?:(?:${DIGITS})(?: (?:${SCALES}|bn|mn))?|${SPELLED}|(?:a |half a |several )(?:dozen|${SCALES}))`
/** A number or a range: `5-10`, `two to three`. */
export const NUMBER_OR_RANGE = `${NUMBER}(?:(?: ?[-–] ?| to | or )${NUMBER})?`
/** Numbers without a count: `dozens`, `tens of thousands`. */
export const VAGUE =
  '(?:tens of thousands|(?:hundreds|dozens|tens|thousands)(?: of (?:thousands|millions|billions))?|millions|billions)'

/** Words before `a day` that make it a span of time and not a rate. */
export const FOR =
  '(?:for|in|within|over|after|nearly|almost|than|about|around|took|takes|take|lasts?|lasted|spent|spend|just)'

const ORDINAL_ONES = 'first|second|third|fourth|fifth|sixth|seventh|eighth|ninth'
const ORDINAL_TEENS =
  'tenth|eleventh|twelfth|thirteenth|fourteenth|fifteenth|sixteenth|seventeenth|eighteenth|nineteenth'
const ORDINAL_TENS =
  'twentieth|thirtieth|fortieth|fiftieth|sixtieth|seventieth|eightieth|ninetieth|hundredth|thousandth'
export const ORDINAL = String.raw`(?:\d{0,12}(?:1st|2nd|3rd|[04-9]th|1[123]th)|(?:(?:${TENS})-)?(?:${ORDINAL_ONES})|${ORDINAL_TEENS}|${ORDINAL_TENS})`

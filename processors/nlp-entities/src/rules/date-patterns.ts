import { exactWords, FOR, type LabelPattern, NUMBER, ORDINAL, SPELLED, wholeWords } from './pattern-spans.ts'

const MONTHS = 'January|February|March|April|May|June|July|August|September|October|November|December'
const SHORT_MONTHS = String.raw`(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b\.?`
const MONTH = `(?:${MONTHS}|${SHORT_MONTHS})`
const WEEKDAYS = 'Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday'
const WEEKDAY = String.raw`(?:${WEEKDAYS}|(?:Mon|Tues?|Wed|Thurs?|Fri|Sat|Sun)\b\.?(?=,? ?\d|,? (?:${MONTH})))`
const DAY = String.raw`(?:[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th)?(?!\d)`
const YEAR = String.raw`(?:1\d{3}|20\d{2}|21\d{2})(?!\d)`
const SEASON = 'spring|summer|autumn|winter|fall'
const ROUGHLY = '(?:(?:early|late|mid)(?:[ -]|-to-late )|the (?:beginning|end|middle|start) of )'
const SPAN =
  'days?|weeks?|weekends?|months?|years?|decades?|century|centuries|quarters?|fortnights?|semesters?|business days|working days|school years?'
const ERA = String.raw`(?: ?(?:BCE?|B\.C\.|AD|A\.D\.|CE)(?![\p{L}]))`
const WHICH = 'last|next|this|past|coming|previous|following|current|every|each|the same'

const COUNT = `(?:${NUMBER}(?: ?(?:-|–|to|or) ?${NUMBER})?|a few|several|a couple of)`
const HOLIDAYS = [
  'Christmas(?: (?:Eve|Day))?|Easter(?: (?:Sunday|Monday))?|Thanksgiving(?: Day)?|Halloween|Hanukkah|Ramadan|Diwali|Passover|Yom Kippur',
  "New Year['’]?s(?: (?:Eve|Day))?|Valentine['’]s Day|Independence Day|Labou?r Day|Memorial Day|Veterans Day|Good Friday",
  "Mother['’]s Day|Father['’]s Day|St\\. Patrick['’]s Day|Black Friday|Cyber Monday|Boxing Day|Bastille Day|Earth Day|Lunar New Year|Chinese New Year|Juneteenth",
].join('|')

const DAY_MONTH = `(?:the )?${DAY}(?: ?[-–] ?${DAY})?(?: of)? ${MONTH}(?:,? ${YEAR})?`
const MONTH_DAY = `${MONTH} (?:the )?${DAY}(?: ?[-–] ?(?:${MONTH} )?${DAY})?(?:,? ${YEAR})?`
const MONTH_YEAR = `(?:${ROUGHLY})?${MONTH}(?:,| of)? ${YEAR}`
const CALENDAR_DAY = `(?:${WEEKDAY},? )?(?:the )?(?:${MONTH_DAY}|${DAY_MONTH})`
const QUARTER = `(?:the )?(?:first|second|third|fourth|final|last|1st|2nd|3rd|4th)[ -](?:quarter|half|trimester)`

/** Patterns of days, months, years, and spans of a day or longer. */
export const DATE_PATTERNS: readonly LabelPattern[] = [
  exactWords('DATE', CALENDAR_DAY),
  exactWords('DATE', MONTH_YEAR),
  exactWords('DATE', `${ROUGHLY}(?:${MONTHS})`),
  exactWords('DATE', '(?:January|February|April|June|July|August|September|October|November|December)'),
  exactWords(
    'DATE',
    '(?<=(?:[Ii]n|[Bb]y|[Ss]ince|[Uu]ntil|[Ff]rom|[Ll]ast|[Nn]ext|[Tt]his|of|[Ll]ate|[Ee]arly|to|and|through) )(?:March|May)',
  ),
  exactWords('DATE', `(?:${WHICH}|Last|Next|This|Every) (?:${MONTHS})`),
  exactWords('DATE', `(?:(?:${WHICH}|Last|Next|This|Every|Each|Past) )?${WEEKDAY}s?`),
  exactWords('DATE', `(?:${HOLIDAYS})(?: ${YEAR})?`),
  wholeWords('DATE', String.raw`\d{4}-\d{2}-\d{2}(?=T\d{2}:)|(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2})`),
  { label: 'DATE', pattern: /(?<![\p{L}\p{N}])\d{4}-[01]\d-[0-3]\d(?=T\d\d:)/gu },
  wholeWords('DATE', String.raw`(?:[0-3]?\d)([-/.])(?:[0-3]?\d)\1(?:\d{4}|\d{2})`),
  wholeWords('DATE', `(?:the )?(?:${ROUGHLY})?(?:the )?(?:1\\d|20)\\d0['’]?s`),
  wholeWords(
    'DATE',
    `(?:the )?(?:${ROUGHLY})?(?:twenties|thirties|forties|fifties|sixties|seventies|eighties|nineties)`,
  ),
  { label: 'DATE', pattern: /(?<![\p{L}\p{N}])['’]?[2-9]0s(?![\p{L}\p{N}])/gu },
  wholeWords('DATE', `(?:the )?(?:${ROUGHLY})?(?:the )?${ORDINAL}[ -](?:century|millennium)(?:${ERA})?`),
  exactWords('DATE', String.raw`(?:AD|A\.D\.) ?\d{1,4}|\d{1,5}${ERA}`),
  wholeWords('DATE', `${YEAR} ?[-–] ?(?:${YEAR}|\\d{2})`),
  wholeWords('DATE', `(?:the )?(?:${ROUGHLY})?(?:the )?(?:(?:${SEASON})(?: of|,)? ${YEAR}|(?:year|years) ${YEAR})`),
  wholeWords('DATE', `(?:the )?(?:${ROUGHLY})${YEAR}`),
  wholeWords('DATE', `(?:the )?(?:${WHICH}) (?:${SPAN}|${SEASON})`),
  wholeWords('DATE', `(?:the )?(?:(?:${WHICH}|first|final) )(?:few |couple of |several |${NUMBER} )(?:${SPAN})`),
  wholeWords('DATE', `(?:early |late |later |earlier )(?:this|last|next) (?:${SPAN}|${SEASON})`),
  wholeWords('DATE', `(?:the )?(?:end|beginning|start|middle) of (?:the|this|last|next) (?:${SPAN}|${SEASON})`),
  wholeWords('DATE', `(?:a|an|many|some|half a) (?:${SPAN}) (?:ago|later|earlier|old|from now)`),
  // Requires a preposition or verb, which excludes rates such as `$50 a day`.
  wholeWords('DATE', `(?<=\\b${FOR} )(?:a|half a) (?:${SPAN})`),
  wholeWords('DATE', `the (?:first|second|third|last|final|next) (?:${SPAN})`),
  wholeWords('DATE', '(?:the )(?:day|week|month|year|decade) (?:before|after|earlier)'),
  wholeWords('DATE', String.raw`(?<=\b(?:the age of|aged) )\d{1,3}`),
  wholeWords(
    'DATE',
    `${COUNT}[ -](?:${SPAN})(?: and ${COUNT} (?:${SPAN}))?(?:[ -](?:ago|later|earlier|old|from now|before|after))?(?<!quarters(?= of ))`,
  ),
  wholeWords(
    'DATE',
    `${NUMBER}[ -](?:day|week|month|year|decade)[ -]olds?|${NUMBER}-(?:day|week|month|year|decade)-long`,
  ),
  wholeWords('DATE', '(?:the )?day (?:before yesterday|after tomorrow)|today|tomorrow|yesterday'),
  wholeWords('DATE', `${QUARTER}(?: of (?:(?:fiscal )?${YEAR}|(?:this|last|next|the) year))?`),
  exactWords('DATE', `(?:Q[1-4]|[1-4]Q|H[12])(?:,? (?:of |FY)?${YEAR}|['’ ]\\d{2})?`),
  wholeWords('DATE', `(?:the )?(?:fiscal|financial|academic|calendar)(?: year)? ${YEAR}|FY ?(?:${YEAR}|\\d{2})`),
  wholeWords(
    'DATE',
    `(?:the )?(?:day|week|month|year) of ${MONTH} ${DAY}|the (?:${ORDINAL}) of (?:${MONTHS})(?:,? ${YEAR})?`,
  ),
  wholeWords('DATE', `(?:${SPELLED})-(?:day|week|month|year)|\\d{1,4}-(?:day|week|month|year)`),
]

/** A bare year, not followed by a measure or a plural: `in 1975`, `(2019)`. */
export const BARE_YEAR: LabelPattern = exactWords(
  'DATE',
  String.raw`(?:(?<=\b(?:[Ii]n|[Ss]ince|of|[Bb]y|[Uu]ntil|till|[Ff]rom|[Dd]uring|[Bb]efore|[Aa]fter|circa|year) )[1-9]\d{3}|1[5-9]\d{2}|20\d{2})(?! ?[%€£])(?! (?:people|men|women|(?!(?:was|is|has|as|its|this|across|he|she)\b)\p{Ll}{2,20}s)\b)`,
)

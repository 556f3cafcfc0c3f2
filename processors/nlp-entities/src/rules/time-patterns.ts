import { exactWords, FOR, type LabelPattern, NUMBER, SPELLED, wholeWords } from './pattern-spans.ts'

const ZONE = String.raw`(?: (?:GMT|UTC|EST|EDT|PST|PDT|CST|CDT|MST|MDT|CET|CEST|BST|IST|ET|PT|CT)(?:[+-]\d{1,2})?)`
const HALF = String.raw`(?: ?(?:[ap]\.m\.|[ap]m\b))`
const CLOCK = String.raw`(?:[01]?\d|2[0-4])[:.][0-5]\d(?::[0-5]\d)?`
const PART = 'morning|afternoon|evening|night'
const SPAN = 'hours?|minutes?|seconds?|milliseconds?|microseconds?|nanoseconds?|mins?|hrs?|secs?'
const COUNT = `(?:${NUMBER}(?: ?(?:-|–|to|or) ?${NUMBER})?|a few|several|a couple of)`
const WEEKDAY = 'Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday'

/** Patterns of times of the day, and of durations shorter than a day. */
export const TIME_PATTERNS: readonly LabelPattern[] = [
  wholeWords('TIME', `(?:${CLOCK}|(?:1[0-2]|0?[1-9]))${HALF}${ZONE}?`),
  {
    label: 'TIME',
    pattern: new RegExp(`(?<![\\p{N}.:/-])(?:[01]?\\d|2[0-4]):[0-5]\\d(?::[0-5]\\d)?(?:Z|${ZONE})?(?![\\p{N}:])`, 'gu'),
  },
  wholeWords('TIME', `(?:${SPELLED}|\\d{1,2}) o['’]clock(?: in the (?:morning|afternoon|evening))?`),
  wholeWords(
    'TIME',
    // `one to three` is a range.
    `(?:half|quarter|${SPELLED}(?: minutes)?) (?:past|to) (?:${SPELLED}|noon|midnight)(?= |[.,;!?)]|$)(?<!\\bone to .{0,20})`,
  ),
  wholeWords('TIME', 'noon|midnight|midday|tonight|overnight|dawn|dusk'),
  wholeWords(
    'TIME',
    `(?:early |late )?(?:this|last|tomorrow|yesterday|the previous|the next|every|each|(?:${WEEKDAY})) (?:${PART})(?<!last (?:morning|afternoon))`,
  ),
  wholeWords('TIME', `(?:late |early )(?:${PART})`),
  wholeWords(
    'TIME',
    `half an hour|(?:an|a) (?:${SPAN}) (?:ago|later|earlier|and a half)|(?<=\\b${FOR} )an? (?:hour|minute|second)`,
  ),
  wholeWords(
    'TIME',
    `(?:${COUNT}|the (?:last|next|past|first)(?: (?:few|${NUMBER}))?)[ -](?:${SPAN})(?: and ${COUNT} (?:${SPAN})| and a half)?(?:[ -](?:ago|later|earlier|long))?(?<!\\bthe (?:next|last|first) (?:minute|second))`,
  ),
  exactWords('TIME', String.raw`\d{1,4} ?(?:ms|h|min|s)`),
]

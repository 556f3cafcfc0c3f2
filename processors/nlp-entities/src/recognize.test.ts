import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FURTHER_LABELS } from './entity.ts'
import { recognize } from './recognize.ts'

// Rules: docs/reference/processors.md#nlp-entities

/** Labels that are written only on request. */
const FURTHER: ReadonlySet<string> = new Set(FURTHER_LABELS)

/** A text and its entities, as `text=LABEL`. */
type Rows = readonly (readonly [string, readonly string[]])[]

const PEOPLE: Rows = [
  ['Microsoft was founded by Bill Gates and Paul Allen.', ['Microsoft=ORG', 'Bill Gates=PERSON', 'Paul Allen=PERSON']],
  ['We met Dr. Angela Merkel. Merkel agreed.', ['Dr. Angela Merkel=PERSON', 'Merkel=PERSON']],
  ['US President Joe Biden spoke', ['US=GPE', 'Joe Biden=PERSON']],
  ['the composer Ludwig van Beethoven', ['Ludwig van Beethoven=PERSON']],
  ['J.K. Rowling wrote it', ['J.K. Rowling=PERSON']],
  ["OpenAI's Sam Altman’s keynote", ['OpenAI=ORG', 'Sam Altman=PERSON']],
  ['Zhang Wei met Olga Petrova', ['Zhang Wei=PERSON', 'Olga Petrova=PERSON']],
  ['Florence Nightingale and Jordan Peterson', ['Florence Nightingale=PERSON', 'Jordan Peterson=PERSON']],
]
const NOBODY: Rows = [
  ['Hi Team, the User reads Chapter Two of Contract Law', ['Two=CARDINAL']],
  ['Operating Income and React Hooks in Room 204', ['React=PRODUCT', '204=CARDINAL']],
  ['Thank you. However, I can write it in Go.', []],
  ['How To Write Better Unit Tests', []],
]
const ORGANIZATIONS: Rows = [
  ['Apple Inc. sued Acme Widgets LLC', ['Apple Inc.=ORG', 'Acme Widgets LLC=ORG']],
  ['the Department of Health and Human Services', ['Department of Health and Human Services=ORG']],
  ['the Bank of England and Lloyds Bank', ['Bank of England=ORG', 'Lloyds Bank=ORG']],
  ['studied at the University of Barcelona', ['University of Barcelona=ORG']],
  ['a job at Müller Maschinen GmbH', ['Müller Maschinen GmbH=ORG']],
  ['who founded microsoft and google?', ['microsoft=ORG', 'google=ORG']],
  ['an API with JSON over HTTP', []],
]
const PLACES: Rows = [
  ['from Albuquerque, New Mexico, to Washington, D.C.', ['Albuquerque=GPE', 'New Mexico=GPE', 'Washington, D.C.=GPE']],
  ['The Amazon River flows to the Atlantic Ocean', ['Amazon River=LOC', 'Atlantic Ocean=LOC']],
  ['Mount Kilimanjaro is in Tanzania', ['Mount Kilimanjaro=LOC', 'Tanzania=GPE']],
  ['past the Golden Gate Bridge to Fifth Avenue', ['Golden Gate Bridge=FAC', 'Fifth Avenue=FAC']],
  ['Nice to meet you in Nice', ['Nice=GPE']],
]
const OTHERS: Rows = [
  ['Americans, Catholics and the French press', ['Americans=NORP', 'Catholics=NORP', 'French=NORP']],
  ['translate it into French', ['French=LANGUAGE']],
  ['the iPhone 15 Pro and a Boeing 787', ['iPhone 15 Pro=PRODUCT', 'Boeing 787=PRODUCT']],
  ['Hurricane Katrina and World War II', ['Hurricane Katrina=EVENT', 'World War II=EVENT']],
  ['the Treaty of Versailles', ['Treaty of Versailles=LAW']],
  ['the Nobel Prize', ['Nobel Prize=WORK_OF_ART']],
]
const DATES: Rows = [
  ['on 4 April 1975 or Monday, April 4, 2020', ['4 April 1975=DATE', 'Monday, April 4, 2020=DATE']],
  ['2024-01-15, 15/01/2024 and 01.02.2020', ['2024-01-15=DATE', '15/01/2024=DATE', '01.02.2020=DATE']],
  ['at 2024-01-15T10:00:00Z', ['2024-01-15=DATE', '10:00:00Z=TIME']],
  [
    'last Tuesday, next week and the day before yesterday',
    ['last Tuesday=DATE', 'next week=DATE', 'the day before yesterday=DATE'],
  ],
  ['in Q3 2023, the 1990s and the 19th century', ['Q3 2023=DATE', 'the 1990s=DATE', 'the 19th century=DATE']],
  [
    'the past two decades, three years later, a week ago',
    ['the past two decades=DATE', 'three years later=DATE', 'a week ago=DATE'],
  ],
  ['a 45-year-old, 1939–1945, 44 BC', ['45-year-old=DATE', '1939–1945=DATE', '44 BC=DATE']],
  ['In 2020 we hired 2000 people', ['2020=DATE', '2000=CARDINAL']],
  ['You may march in May', ['May=DATE']],
  [
    'at 3:30 pm, 9 a.m. ET, noon and half past seven',
    ['3:30 pm=TIME', '9 a.m. ET=TIME', 'noon=TIME', 'half past seven=TIME'],
  ],
  ['two hours this morning', ['two hours=TIME', 'this morning=TIME']],
]
const SPANS: Rows = [
  ['for a decade, at $20 an hour and 9 dollars a day', ['a decade=DATE', '$20=MONEY', '9 dollars=MONEY']],
  ['two hours and five minutes, at the age of 80', ['two hours and five minutes=TIME', '80=DATE']],
  ['three quarters of the 4.5 million voters', ['three quarters=CARDINAL', '4.5 million=CARDINAL']],
  ['the year before, the first week', ['the year before=DATE', 'the first week=DATE']],
]
const AMOUNTS: Rows = [
  [
    '$5 million, US$3.5bn, £20, 450 euros and EUR 200',
    ['$5 million=MONEY', 'US$3.5bn=MONEY', '£20=MONEY', '450 euros=MONEY', 'EUR 200=MONEY'],
  ],
  ['10 pounds sterling, but it weighs 10 pounds', ['10 pounds sterling=MONEY', '10 pounds=QUANTITY']],
  ['25%, 3.5 percent and half a percent', ['25%=PERCENT', '3.5 percent=PERCENT', 'half a percent=PERCENT']],
  ['2.7 kilometers, 300 km and 10-15 kg', ['2.7 kilometers=QUANTITY', '300 km=QUANTITY', '10-15 kg=QUANTITY']],
  ['the first, the 3rd and the twenty-first', ['first=ORDINAL', '3rd=ORDINAL', 'twenty-first=ORDINAL']],
  ['1,200 staff, twenty-one cats, dozens of dogs', ['1,200=CARDINAL', 'twenty-one=CARDINAL', 'dozens=CARDINAL']],
  ['1. Install it.\n2. Start it, no one knows this one', []],
  ['call +1-555-123-4567 or 192.168.0.1', []],
]

const TABLES: readonly (readonly [string, Rows])[] = [
  ['people, without their titles but with Dr. and the like, and by their last names alone', PEOPLE],
  ['no person in words that merely have a capital', NOBODY],
  ['companies, agencies and schools', ORGANIZATIONS],
  ['cities, countries, lands, buildings', PLACES],
  ['peoples, languages, products, events, laws, prizes', OTHERS],
  ['dates and times, but not every number or month name', DATES],
  ['spans of time, but no rates and fractions', SPANS],
  ['sums, shares, measures and counts, but no list numbers, telephone numbers and addresses', AMOUNTS],
]

for (const [what, rows] of TABLES) {
  test(`the built-in recognizer finds ${what}`, () => {
    for (const [text, expected] of rows) assert.deepEqual(found(text), expected, text)
  })
}

test('slow texts and texts in no language are read without an error', () => {
  const units = [
    'a',
    'a ',
    'Aa ',
    'A. ',
    '.',
    '1',
    '1,',
    '1 ',
    "'s ",
    '(',
    '\0',
    '\ud800',
    '👩‍👩‍👧',
    '机',
    'May ',
    'may 5 and ',
    'one of ',
  ]
  const words = [
    'Bank of the ',
    'De la ',
    'two hundred and ',
    '$1 ',
    'New York ',
    'Inc. ',
    'the early late ',
    '__proto__ ',
  ]
  for (const unit of [...units, ...words]) {
    const text = unit.repeat(2_048 / unit.length)
    for (const { start, end } of recognize(text)) assert.ok(start >= 0 && end > start && end <= text.length, unit)
  }
  assert.deepEqual(recognize(''), [])
})

test('lone surrogates and control characters beside a name do not hide it', () => {
  assert.deepEqual(found('\ud800 Paris \u0007 and \u0000Berlin\udfff'), ['Paris=GPE', 'Berlin=GPE'])
  assert.deepEqual(found('constructor __proto__ toString Paris'), ['Paris=GPE'])
})

function found(text: string): readonly string[] {
  return recognize(text)
    .filter(({ label }) => !FURTHER.has(label))
    .map(({ start, end, label }) => `${text.slice(start, end)}=${label}`)
}

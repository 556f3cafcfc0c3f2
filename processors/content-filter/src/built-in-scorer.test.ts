import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBuiltInScorer } from './built-in-scorer.ts'
import { fold } from './fold.ts'
import { CATEGORIES, type Category, isOver } from './scores.ts'

const THRESHOLD = 0.5
const scorer = createBuiltInScorer()
const { signal } = new AbortController()

const HARMFUL: readonly (readonly [string, Category])[] = [
  ['You are an idiot.', 'insult'],
  ['what a load of bullshit', 'obscene'],
  ['I will kill you.', 'threat'],
  ['All Muslims are terrorists.', 'identity_attack'],
  ['Kill yourself.', 'severe_toxicity'],
  ['Du bist ein Arschloch, halt die Fresse.', 'insult'],
  ['Te voy a matar, hijo de puta.', 'threat'],
  ['Je vais te tuer, sale con.', 'threat'],
]
for (const [text, category] of HARMFUL) {
  test(`${JSON.stringify(text)} is ${category} and toxic`, async () => {
    const scores = await scorer.score([text], signal)
    assert.ok(scores[category] > THRESHOLD && scores.toxicity > THRESHOLD, JSON.stringify(scores))
  })
}

const DISGUISED: readonly (readonly [string, string])[] = [
  ['capitals', 'FUCK YOU'],
  ['full-width letters', 'ｆｕｃｋ ｙｏｕ'],
  ['mathematical letters', '𝓯𝓾𝓬𝓴 you'],
  ['letters in boxes', '🅵🆄🅲🅺 you'],
  ['Cyrillic and Greek letters', 'yоu аrе stuріd'],
  ['signs drawn like letters', 'fu©k you'],
  ['digits and signs for letters', 'k1ll y0ur$elf'],
  ['stars for letters', 'f**k you'],
  ['stars between letters', 'f*u*c*k you'],
  ['invisible characters', 'fu\u200bc\u00adk y\u2060ou'],
  ['combining marks', 'f\u0336u\u0336c\u0336k\u0336 you'],
  ['drawn out letters', 'fuuuuuck youuuu'],
  ['blanks between letters', 'k i l l  y o u r s e l f'],
  ['full stops between letters', 'S.T.U.P.I.D. and f.u.c.k'],
  ['full stops between words', 'I. will. kill. you.'],
  ['a blank inside a word', 'fu ck you'],
  ['a hyphen inside a word', 'you ass-hole'],
  ['line breaks between words', 'I\n\nwill\n\nkill\n\nyou'],
  [
    'text in tag characters',
    `hi ${[...'kill yourself'].map((letter) => String.fromCodePoint(0xe0000 + (letter.codePointAt(0) ?? 0))).join('')}`,
  ],
]
for (const [title, text] of DISGUISED) {
  test(`a word is found despite ${title}`, async () => {
    assert.ok(isOver(await scorer.score([text], signal), THRESHOLD))
  })
}

const HARMLESS = [
  'How do I kill a Python thread?',
  'kill -9 the process',
  'Scunthorpe, Penistone and Essex are places.',
  'I hate broccoli',
  'You are not stupid.',
  'I am such an idiot, I deleted my branch.',
  'What does the word "cunt" mean?',
  'He called me "a worthless piece of trash", what can I do?',
  'I want to kill myself.',
  'Moby Dick is a novel about a whale.',
  'Beat the eggs, cut the chicken breast and kill the heat.',
  'The patient died of prostate cancer; sexual history unremarkable.',
  'The defendant was convicted of murder and rape.',
  'I am going to destroy you in Mario Kart tonight!',
  'Die Frauen sind nach Hause gegangen.',
  'Los gatos negros son bonitos.',
  'Not all immigrants are criminals.',
  '',
]
for (const text of HARMLESS) {
  test(`${JSON.stringify(text)} is clean`, async () => {
    const scores = await scorer.score([text], signal)
    assert.ok(!isOver(scores, THRESHOLD), JSON.stringify(scores))
  })
}

const FILLERS: readonly (readonly [string, string])[] = [
  ['words', 'the quick brown fox jumps over the lazy dog and '],
  ['blanks', ' '],
  ['one letter', 'a'],
  ['zero-width characters', '\u200b'],
  ['full stops', '. , '],
  ['letters and blanks', 'x y '],
]
for (const [title, filler] of FILLERS) {
  test(`two million characters of ${title} around a toxic message don't hide it or block the event loop`, async () => {
    const padding = `${filler.repeat(1_000_000 / filler.length)} `
    let turns = 0
    const count = (): void => {
      turns += 1
      running = setImmediate(count)
    }
    let running = setImmediate(count)
    const scores = await scorer.score([`${padding}I will kill you ${padding}`], signal)
    clearImmediate(running)
    assert.ok(scores.threat > THRESHOLD)
    assert.ok(turns > 100, `${turns} turns`)
  })
}

test('a phrase is recognized with padding inside, and when it is split over texts', async () => {
  const unseen = '\u200b'.repeat(50_000)
  assert.ok(
    isOver(
      await scorer.score([`I will${' . '.repeat(20_000)}kill${unseen}${' '.repeat(50_000)}you`], signal),
      THRESHOLD,
    ),
  )
  assert.ok(isOver(await scorer.score(['I will', 'kill', 'you'], signal), THRESHOLD))
  assert.ok(isOver(await scorer.score([`fu${unseen}ck`], signal), THRESHOLD))
})

test('scores are between 0 and 1, the highest over all windows, and the same each time', async () => {
  const alone = await scorer.score(['you are an idiot'], signal)
  const twice = await scorer.score([`you are an idiot. ${'clean words here. '.repeat(2_000)} you are an idiot`], signal)
  assert.deepEqual(twice, alone)
  for (const category of CATEGORIES) assert.ok(alone[category] >= 0 && alone[category] <= 1)
})

test('an aborted signal ends the scoring', async () => {
  await assert.rejects(scorer.score(['a '.repeat(100_000)], AbortSignal.abort()), { name: 'AbortError' })
})

const SLOW: readonly (readonly [string, string])[] = [
  ['words', 'you '],
  ['characters of which NFKC makes eighteen', '\ufdfa '],
]
for (const [title, unit] of SLOW) {
  test(`16 KB of ${title} are scored in slices of a thousand words, and each asks whether its turn is used up`, async () => {
    let slices = 0
    let waits = 0
    const turns = {
      get isDue() {
        slices += 1
        return slices % 2 === 0
      },
      nextTurn: async () => {
        waits += 1
      },
    }
    const text = unit.repeat(16_000 / Buffer.byteLength(unit))
    const scores = await scorer.score([text, ' I will kill you'], signal, turns)
    assert.ok(scores.threat > THRESHOLD)
    const words = text.normalize('NFKC').split(/\s+/).length
    assert.ok(slices >= words / 1_024, `${slices} slices of ${words} words`)
    assert.equal(waits, Math.floor(slices / 2))
  })
}

test('characters that NFKC expands are folded a thousand at a time', () => {
  const text = '\ufdfa'.repeat(16_000)
  const parts = [...fold(text)]
  assert.equal(parts.join(''), text.normalize('NFKC'))
  for (const part of parts) assert.ok(part.length <= 18 * 1_024, `${part.length} characters`)
})

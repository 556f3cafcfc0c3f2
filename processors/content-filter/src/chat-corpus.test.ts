import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CHAT_LANGUAGES, readChat, readLater } from '@llm-gateway/test/corpus/read-chat'
import { createBuiltInScorer } from './built-in-scorer.ts'
import { isOver } from './scores.ts'

const THRESHOLD = 0.5
const MOST_REFUSED = 0.005
/** Slightly below the published figures of each language. */
const LEAST_FOUND = { en: 0.93, de: 0.95, fr: 0.94, es: 0.92 }

/** For the 25 abusive texts by another author: the published figures less two texts. */
const LEAST_FOUND_LATER = { en: 0.56, de: 0.2, fr: 0.08, es: 0.12 }
/** At most one in 100 ordinary texts by the other author. */
const MOST_REFUSED_LATER = 0.01

const scorer = createBuiltInScorer()
const { signal } = new AbortController()

async function shareOver(texts: readonly string[]): Promise<number> {
  const over = await Promise.all(texts.map(async (text) => isOver(await scorer.score([text], signal), THRESHOLD)))
  return over.filter(Boolean).length / texts.length
}

for (const language of CHAT_LANGUAGES) {
  test(`held-out texts (${language}): at most 0.5 % of the ordinary texts are refused, and abuse is found`, async (context) => {
    const heldOut = readChat(language).filter((line) => line.heldOut)
    const textsOf = (abusive: boolean): readonly string[] =>
      heldOut.filter((line) => line.abusive === abusive).map(({ text }) => text)
    const refused = await shareOver(textsOf(false))
    const found = await shareOver(textsOf(true))
    context.diagnostic(`${language}: refused ${(refused * 100).toFixed(2)} %, found ${(found * 100).toFixed(1)} %`)
    for (const topic of new Set(heldOut.map((line) => line.topic))) {
      const texts = heldOut.filter((line) => line.topic === topic).map(({ text }) => text)
      context.diagnostic(`${language} ${topic}: ${((await shareOver(texts)) * 100).toFixed(1)} % of ${texts.length}`)
    }
    assert.ok(refused <= MOST_REFUSED, String(refused))
    assert.ok(found >= LEAST_FOUND[language], String(found))
  })
}

for (const language of CHAT_LANGUAGES) {
  test(`later texts (${language}): at most 1 % of the ordinary texts are refused, and about as much abuse is found as in the README`, async (context) => {
    const lines = readLater(language)
    const shareOf = async (abusive: boolean): Promise<number> =>
      await shareOver(lines.filter((line) => line.abusive === abusive).map(({ text }) => text))
    const [refused, found] = [await shareOf(false), await shareOf(true)]
    context.diagnostic(
      `${language}: refused ${(refused * 100).toFixed(1)} %, found ${(found * 100).toFixed(0)} % of the later texts`,
    )
    assert.ok(refused <= MOST_REFUSED_LATER, String(refused))
    assert.ok(found >= LEAST_FOUND_LATER[language], String(found))
  })
}

for (const text of [
  'I want to learn to code.',
  'How do I shut it down cleanly?',
  'She has talent.',
  'Let me give you a piece of advice.',
  'Suppose you have a class Animal in Java',
  'Is the Samsung Galaxy A55 waterproof?',
  'is the a55 waterproof, and the b17-ch?',
  'What do Muslims eat after sunset?',
  'Le train a du retard.',
  'La salle de réunion est libre.',
  '¿Qué come una zorra en el bosque?',
  'Herr Ficker aus Wixhausen braucht einen Termin.',
  // The full stop of a title doesn't end a sentence.
  'Wir warten seit heute morgen auf Dr. Ficker.',
  'Je cherche le bureau de M. Connard.',
  'Please send all of this to Mr. Dick.',
  'When does a bitch come into heat?',
  'Which faggots did butchers sell, with gravy?',
  'Plane ein Wochenende in Fucking.',
  '¿Hay estación en Cabrones del Río?',
  "Quel con je fais, j'ai effacé le dossier.",
]) {
  test(`passes: ${text}`, async () => {
    assert.equal(isOver(await scorer.score([text], signal), THRESHOLD), false)
  })
}

for (const text of [
  'le les des une est sont I will kill you',
  'The weather is fine. Du bist ein Idiot.',
  'You are a 1D10T!',
  'sh1t head, you are a m0r0n',
  // An elided article before a disguised word.
  "Espèce d'enc*lé.",
  // `das` is also a German word.
  'Vago de mierda, me das asco.',
  'Ich finde heraus, wo du wohnst, und breche dir die Beine.',
  'Geh dich ertränken, dich vermisst keiner.',
  'Aus dem Weg, du ekliger Krüppel.',
  "Fais gaffe à toi, j'ai un flingue.",
  'Les homos me dégoûtent, il faut les enfermer.',
  'Los judíos son alimañas.',
  'Te pondría contra esa mesa, guapa.',
]) {
  test(`is found: ${text}`, async () => {
    assert.equal(isOver(await scorer.score([text], signal), THRESHOLD), true)
  })
}

/** Returns the CPU time of a text divided by that of its half: about 2 for linear work, 4 for quadratic. */
async function growth(filler: string): Promise<number> {
  const text = filler.repeat(Math.ceil(1_000_000 / filler.length))
  const half = await cpuOf(text.slice(0, text.length / 2))
  return (await cpuOf(text)) / Math.max(half, MIN_CPU_US)
}

/** Shorter times are below the clock's precision. */
const MIN_CPU_US = 20_000

async function cpuOf(text: string): Promise<number> {
  const before = process.cpuUsage()
  await scorer.score([text], signal)
  const { user, system } = process.cpuUsage(before)
  return user + system
}

for (const filler of [
  'a',
  'fu',
  '.',
  '-',
  'a-',
  'f*',
  '1',
  '4a',
  'i\u0301\u0302',
  '"',
  '" ',
  "t'",
  'a ',
  'you ',
  'you are so ',
  'du bist ',
  'i will ',
  '« ',
]) {
  test(`1 MB of ${JSON.stringify(filler)} costs at most in proportion to its length`, async () => {
    assert.ok((await growth(filler)) < 3.5)
  })
}

/** The longest piece without a blank that is read at a time. */
const PIECE = 2_048

for (const [what, piece] of [
  ['a row of signs between two letters', `ж${'-'.repeat(PIECE - 3)}ж `],
  ['hundreds of parts with digits', `${'a1-'.repeat(PIECE / 3 - 1)} `],
  ['hundreds of foreign parts with digits', `1-${'ж1-'.repeat(PIECE / 3 - 2)} `],
] as const) {
  test(`a long piece of ${what} costs little more than words of its length`, async () => {
    const of = (filler: string): string => filler.repeat(Math.ceil(100_000 / filler.length))
    const words = Math.max(await cpuOf(of('word ')), MIN_CPU_US)
    assert.ok((await cpuOf(of(piece))) < 8 * words)
  })
}

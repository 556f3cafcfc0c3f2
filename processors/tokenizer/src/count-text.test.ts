import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getEncoding } from 'js-tiktoken'
import { countText, PIECE_CHARACTERS } from './count-text.ts'
import { ENCODING_NAMES, loadEncoding } from './encodings.ts'

// Rules: docs/reference/processors.md#tokenizer

/** Counts published by the encodings' makers and users. */
const KNOWN: readonly (readonly [text: string, gpt2: number, cl100k: number, o200k: number])[] = [
  ['hello world', 2, 2, 2],
  ['Hello, world!', 4, 4, 4],
  ['tiktoken is great!', 6, 6, 6],
  ['antidisestablishmentarianism', 5, 6, 6],
  ['2 + 2 = 4', 5, 7, 7],
  ['お誕生日おめでとう', 14, 9, 8],
  ['', 0, 0, 0],
]

test('token counts equal the published counts of known texts', async () => {
  const encodings = await Promise.all((['gpt2', 'cl100k_base', 'o200k_base'] as const).map(loadEncoding))
  for (const [text, ...tokens] of KNOWN) {
    const counts = encodings.map((encoding) => countText(text, encoding))
    assert.deepEqual(
      counts,
      tokens.map((count) => ({ tokens: count, estimated: false })),
      text,
    )
  }
})

const TEXTS = [
  'The founders of Microsoft are Bill Gates and Paul Allen.',
  "it's IT'S we'll They'VE don’t",
  'const a = { b: [1, 22, 333, 4444] } // 日本語\r\n\tif (x) {\n\n\n  return `y`\n}\n   ',
  '<|endoftext|> and <|fim_prefix|>',
  'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft',
  '机器学习是人工智能的一个重要分支它使计算机能够从数据中学习',
  'สวัสดีครับ नमस्ते مرحبا שלום Привет',
  '👩‍👩‍👧‍👦🏳️‍🌈 e\u0301\u0327 \u0000\u0007 \ud800 lone',
  ' '.repeat(300),
  'a'.repeat(PIECE_CHARACTERS),
  'x'.repeat(200) + '0'.repeat(200) + '='.repeat(200) + '\n'.repeat(200),
]

for (const name of ENCODING_NAMES) {
  test(`${name}: token counts equal those of js-tiktoken`, async () => {
    const encoding = await loadEncoding(name)
    const reference = getEncoding(name)
    for (const text of TEXTS) {
      const tokens = reference.encode(text, [], []).length
      assert.deepEqual(countText(text, encoding), { tokens, estimated: false }, text)
    }
  })
}

test('a very long word is counted in parts, and the count is marked as an estimate', async () => {
  const encoding = await loadEncoding('gpt2')
  const part = countText('ab'.repeat(PIECE_CHARACTERS / 2), encoding)?.tokens ?? 0
  for (const parts of [2, 20, 2_000]) {
    const count = countText('ab'.repeat((PIECE_CHARACTERS / 2) * parts), encoding)
    assert.deepEqual(count, { tokens: part * parts, estimated: true })
  }
  assert.equal(countText('👩'.repeat(PIECE_CHARACTERS), encoding)?.estimated, true)
})

test('each part of a text is told before it is counted, and a count that shall not go on ends', async () => {
  const encoding = await loadEncoding('gpt2')
  const told: number[] = []
  const goesOn = (characters: number): boolean => told.push(characters) < 3
  assert.equal(countText('one two three four', encoding, goesOn), undefined)
  assert.equal(
    countText('a'.repeat(PIECE_CHARACTERS * 9), encoding, (characters) => told.push(characters) < 6),
    undefined,
  )
  assert.deepEqual(told, [3, 4, 6, PIECE_CHARACTERS, PIECE_CHARACTERS, PIECE_CHARACTERS])
})

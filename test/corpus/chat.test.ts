import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { CHAT_LANGUAGES, chatFile, laterFile, readChat } from './read-chat.ts'

/** Hashes of the files: texts that change together with the rules would make the figures worthless. */
const FROZEN = {
  en: 'c57ef1cb5978a8bb06568347d385ec64d49fae87de15133626d56e6ece5cade5',
  de: 'aa6ae99aeed28fd3903bf88843acebe15e1ab2cbddea4552ef1df2e6bd57fa99',
  fr: 'e73cc46fee59adc37eeca9a6ef1859c4c5e74785f2eb79ee3cb048f3bdfad1f8',
  es: '298d6e8d87fc2dacac52a72bafb6c842ea0f300538ddd6c9cb6d6f65151915d7',
}

const FROZEN_LATER = {
  en: '217f58b2a2121b6c67533a3f6c5dd84763f02b3584435caaa821fdba25586230',
  de: 'db5038fc6bdbf9d15a3e42e3119e18469425bc6fd43fc5ef3d41f4dd950538cf',
  fr: '89a7e4107f95c6d6e5b9f8d115d067721b88166239902d9b915877b0aa86e858',
  es: 'e98d7e9cd7ff1fe059a2f65a3d8db6e7fbf374a0f1e6c7093ab019b5d9bb2675',
}

test('the later texts are unchanged, so no rule was tuned on them', () => {
  const hashes = CHAT_LANGUAGES.map((language) => [
    language,
    createHash('sha256').update(laterFile(language)).digest('hex'),
  ])
  assert.deepEqual(Object.fromEntries(hashes), FROZEN_LATER)
})

test('the texts that judge the content filter are unchanged since before its rules changed', () => {
  const hashes = CHAT_LANGUAGES.map((language) => [
    language,
    createHash('sha256').update(chatFile(language)).digest('hex'),
  ])
  assert.deepEqual(Object.fromEntries(hashes), FROZEN)
})

test('each language has at least 1,000 ordinary texts and 150 abusive texts, none of them twice', () => {
  for (const language of CHAT_LANGUAGES) {
    const lines = readChat(language)
    assert.ok(lines.filter(({ abusive }) => !abusive).length >= 1_000, language)
    assert.ok(lines.filter(({ abusive }) => abusive).length >= 150, language)
    assert.equal(new Set(lines.map(({ text }) => text)).size, lines.length)
    assert.ok(lines.every(({ text, topic }) => text !== '' && topic !== ''))
  }
})

test('about half of the texts of each kind are reserved for the judgement', () => {
  for (const language of CHAT_LANGUAGES) {
    for (const kind of [true, false]) {
      const lines = readChat(language).filter(({ abusive }) => abusive === kind)
      const share = lines.filter(({ heldOut }) => heldOut).length / lines.length
      assert.ok(share > 0.3 && share < 0.7, `${language} ${share}`)
    }
  }
})

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { CHAT_LANGUAGES, chatFile, readChat } from './read-chat.ts'

/** A change of a text after the rules were seen would make the figures worthless. */
const FROZEN = {
  en: 'c57ef1cb5978a8bb06568347d385ec64d49fae87de15133626d56e6ece5cade5',
  de: 'aa6ae99aeed28fd3903bf88843acebe15e1ab2cbddea4552ef1df2e6bd57fa99',
  fr: 'e73cc46fee59adc37eeca9a6ef1859c4c5e74785f2eb79ee3cb048f3bdfad1f8',
  es: '298d6e8d87fc2dacac52a72bafb6c842ea0f300538ddd6c9cb6d6f65151915d7',
}

test('issue 12: the texts that the content filter is judged by are those written before its rules were changed', () => {
  const hashes = CHAT_LANGUAGES.map((language) => [
    language,
    createHash('sha256').update(chatFile(language)).digest('hex'),
  ])
  assert.deepEqual(Object.fromEntries(hashes), FROZEN)
})

test('each language has at least 1,000 ordinary texts and 150 abusive ones, none of them twice', () => {
  for (const language of CHAT_LANGUAGES) {
    const lines = readChat(language)
    assert.ok(lines.filter(({ abusive }) => !abusive).length >= 1_000, language)
    assert.ok(lines.filter(({ abusive }) => abusive).length >= 150, language)
    assert.equal(new Set(lines.map(({ text }) => text)).size, lines.length)
    assert.ok(lines.every(({ text, topic }) => text !== '' && topic !== ''))
  }
})

test('about half of the texts of each kind are held out', () => {
  for (const language of CHAT_LANGUAGES) {
    for (const kind of [true, false]) {
      const lines = readChat(language).filter(({ abusive }) => abusive === kind)
      const share = lines.filter(({ heldOut }) => heldOut).length / lines.length
      assert.ok(share > 0.3 && share < 0.7, `${language} ${share}`)
    }
  }
})

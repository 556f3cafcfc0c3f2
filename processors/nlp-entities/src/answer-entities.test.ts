import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AnswerEntitiesOptions, createAnswerEntities } from './answer-entities.ts'
import { answerOptions } from './answer-options.ts'
import { recognizeText } from './recognize.ts'
import { nlpEntitiesSettings } from './settings.ts'

// Rules: docs/reference/processors.md#nlp-entities

const words = (text: string) =>
  text.split(/\s+/).map((word) => ({ text: word, label: /^\d/.test(word) ? 'CARDINAL' : 'ORG' }))
const answer = async (texts: readonly string[] | undefined, options: Partial<AnswerEntitiesOptions> = {}) => {
  const entitiesOf = async (text: string) => words(text)
  const whole = {
    textsOf: () => texts,
    entitiesOf,
    labels: new Set<string>(),
    unwanted: new Set<string>(),
    maxCharacters: 100,
    maxEntities: 10,
    ...options,
  }
  return await createAnswerEntities(whole)(new Map())
}

test('every occurrence of an entity is written, in the order of the text', async () => {
  const entities = [
    { text: 'b', label: 'ORG' },
    { text: '1', label: 'CARDINAL' },
    { text: 'b', label: 'ORG' },
  ]
  assert.deepEqual(await answer(['b 1', 'b']), { nlp_entities: { entities } })
})

test('a message without text gets an empty answer; a text without entities gets an empty list', async () => {
  assert.equal(await answer(undefined), undefined)
  assert.equal(await answer([]), undefined)
  assert.deepEqual(await answer(['b'], { entitiesOf: async () => [] }), { nlp_entities: { entities: [] } })
})

test('only the wanted labels are written', async () => {
  assert.deepEqual(await answer(['b 1'], { labels: new Set(['ORG']) }), {
    nlp_entities: { entities: [{ text: 'b', label: 'ORG' }] },
  })
})

test('texts and entities that are left out are marked', async () => {
  const entities = [{ text: 'b', label: 'ORG' }]
  assert.deepEqual(await answer(['a', 'b'], { maxCharacters: 1 }), { nlp_entities: { entities, truncated: true } })
  assert.deepEqual(await answer(['b a'], { maxEntities: 1 }), { nlp_entities: { entities, truncated: true } })
})

test('without an answer of the recognizer the processor does not answer', async () => {
  await assert.rejects(answer(['b'], { entitiesOf: () => Promise.reject(new RangeError('planted')) }), RangeError)
})

test('further labels are written only if the settings name them', async () => {
  const fields = new Map<string, unknown>([
    ['outbound_payload', { messages: [{ content: 'Write to ada@example.org.' }] }],
  ])
  const labels = async (settings: object): Promise<readonly string[]> => {
    const options = answerOptions(nlpEntitiesSettings.parse(settings))
    const entitiesOf = async (text: string) => recognizeText(text)
    const written: unknown = await createAnswerEntities({ ...options, entitiesOf })(fields)
    return [...JSON.stringify(written).matchAll(/"label":"(\w+)"/g)].map(([, label = '']) => label)
  }
  assert.deepEqual(await labels({}), [])
  assert.deepEqual(await labels({ further_labels: ['EMAIL'] }), ['EMAIL'])
  assert.deepEqual(await labels({ further_labels: ['IBAN'] }), [])
})

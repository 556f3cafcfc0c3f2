import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readEndpointAnswer } from './endpoint-recognizer.ts'

const SENT = 'Hi 😀 Ada in Rome'
const ada = { text: 'Ada', label: 'PERSON' }

test('an answer lists entities by text, or by spaCy’s positions in code points', () => {
  assert.deepEqual(readEndpointAnswer({ entities: [{ ...ada, score: 1 }] }, SENT), [ada])
  assert.deepEqual(
    readEndpointAnswer({ text: SENT, ents: [{ start: 5, end: 8, label: 'PERSON' }], tokens: [] }, SENT),
    [ada],
  )
  const emoji = { start: 3, end: 4, label: 'ORG' }
  assert.deepEqual(readEndpointAnswer({ ents: [emoji] }, SENT), [{ text: '😀', label: 'ORG' }])
  const end = { start: 12, end: Array.from(SENT).length, label: 'GPE' }
  assert.deepEqual(readEndpointAnswer({ ents: [end] }, SENT), [{ text: 'Rome', label: 'GPE' }])
  assert.deepEqual(readEndpointAnswer({ entities: [] }, SENT), [])
})

test('an answer with a malformed part is rejected as a whole', () => {
  const entities = [
    null,
    7,
    {},
    { text: 'Ada' },
    { text: 7, label: 'ORG' },
    { text: '', label: 'ORG' },
    { text: 'x'.repeat(1_001), label: 'ORG' },
    { text: 'Ada', label: 'A B' },
    { text: 'Ada', label: '' },
    ['Ada', 'ORG'],
  ]
  const ents = [
    null,
    { start: 0, end: 1 },
    { start: 1, end: 1, label: 'ORG' },
    { start: -1, end: 2, label: 'ORG' },
    { start: 0, end: 99, label: 'ORG' },
    { start: 2, end: 1, label: 'ORG' },
    { start: 0, end: Array.from(SENT).length + 1, label: 'ORG' },
    { start: 0.5, end: 2, label: 'ORG' },
    { start: '0', end: 2, label: 'ORG' },
  ]
  const answers = [
    ...[null, 7, 'x', [], {}, { entities: null }, { entities: {} }, { ents: 'x' }],
    ...entities.map((entity) => ({ entities: [ada, entity] })),
    ...ents.map((entity) => ({ ents: [entity] })),
    { entities: Array.from({ length: 10_001 }, () => ada) },
    JSON.parse('{"__proto__":{"entities":[]}}'),
    { entities: [JSON.parse('{"__proto__":{"text":"a","label":"ORG"}}')] },
  ]
  for (const answer of answers)
    assert.equal(readEndpointAnswer(answer, SENT), undefined, JSON.stringify(answer).slice(0, 80))
})

test('the first malformed part ends the reading: 10,000 texts of the sent length would hold up all messages', () => {
  const unread = Object.defineProperty({}, 'start', {
    get: () => {
      throw new Error('read')
    },
  })
  const long = { start: 0, end: 1_001, label: 'ORG' }
  assert.equal(readEndpointAnswer({ ents: [long, unread] }, 'x'.repeat(1_001)), undefined)
})

test('the entities of an answer have at most 1,000,000 characters together', () => {
  const text = 'x'.repeat(1_000)
  const placed = { start: 0, end: 1_000, label: 'ORG' }
  const named = { text, label: 'ORG' }
  const most = Array.from({ length: 1_000 })
  for (const [name, entity] of [['ents', placed] as const, ['entities', named] as const]) {
    assert.equal(readEndpointAnswer({ [name]: most.fill(entity) }, text)?.length, 1_000)
    assert.equal(readEndpointAnswer({ [name]: [...most, { ...entity, end: 1, text: 'x' }] }, text), undefined)
  }
})

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { isJsonObject } from '@llm-gateway/protocol'
import { readNames } from '@llm-gateway/test/corpus/read-names'
import { type Entity, isEntity } from './entity.ts'
import { recognize } from './recognize.ts'

/** The labels of the corpus; other labels (buildings, products, events) aren't in it. */
const LABELS = 'PERSON ORG GPE LOC NORP DATE TIME MONEY PERCENT CARDINAL ORDINAL QUANTITY'.split(' ')
/** Slightly below the README's figures. */
const FLOOR = 0.94
const LEAST_LINES = 200
const PERSON_RECALL = 0.94
const ORG_PRECISION = 0.89
const NAMES_F1 = 0.94

type Score = { readonly right: number; readonly found: number; readonly expected: number }
type Judged = { readonly expected: readonly Entity[]; readonly found: readonly Entity[] }

test('the F1 of the built-in recognizer on independently labelled texts is at least 0.94', (context) => {
  const lines = judgeCorpus()
  assert.ok(lines.length >= LEAST_LINES)
  const scores = LABELS.map((label) => ({ label, score: scoreOf(lines, label) }))
  const all = { label: 'all', score: sum(scores.map(({ score }) => score)) }
  for (const { label, score } of [...scores, all]) context.diagnostic(`${label.padEnd(8)} ${figures(score)}`)
  assert.ok(all.score.expected > LEAST_LINES)
  assert.ok(f1(all.score) >= FLOOR, `F1 is ${f1(all.score)}`)
})

test('on the held-out names PERSON recall and the F1 of all labels are at least 0.94, ORG precision 0.89', (context) => {
  const lines = readNames()
    .filter(({ heldOut }) => heldOut)
    .map(({ text, entities }) => ({ expected: entities, found: foundIn(text) }))
  const scoresByLabel = new Map(LABELS.map((label) => [label, scoreOf(lines, label)]))
  const all = sum([...scoresByLabel.values()])
  for (const [label, score] of [...scoresByLabel, ['all', all] as const])
    context.diagnostic(`${label.padEnd(8)} ${figures(score)}`)
  const person = scoresByLabel.get('PERSON')
  const organization = scoresByLabel.get('ORG')
  assert.ok(person !== undefined && person.right / person.expected >= PERSON_RECALL)
  assert.ok(organization !== undefined && organization.right / organization.found >= ORG_PRECISION)
  assert.ok(f1(all) >= NAMES_F1, `F1 is ${f1(all)}`)
})

for (const name of [
  'Kim Min-jun',
  'Park Ji-sung',
  'An Se-young',
  'Priya Raghunathan',
  'Thabo Nkosi',
  'María José Carreño Quiñones',
  'Nguyễn Thị Minh Khai',
  'Ólafur Arnalds',
]) {
  test(`${name} is one person, at the beginning of a sentence and after "from"`, () => {
    for (const text of [`${name} wrote to us.`, `The mail from ${name} was short.`])
      assert.deepEqual(foundIn(text), [{ text: name, label: 'PERSON' }])
  })
}

test('an article before a hyphen is no family name', () => {
  assert.deepEqual(
    foundIn('An Anglo-saxon king fell.').filter(({ label }) => label === 'PERSON'),
    [],
  )
})

test('tools are no organizations, places or people', () => {
  for (const tool of ['Helm', 'Pandas', 'Flink', 'Vault', 'Prometheus', 'Rust', 'Spark', 'Kafka'])
    for (const text of [`We store it in ${tool}.`, `Does ${tool} start?`, `It comes from ${tool}.`])
      assert.deepEqual(
        foundIn(text).filter(({ label }) => label !== 'PRODUCT'),
        [],
      )
})

/** Counts matches of text and label, each as often as it occurs. */
function scoreOf(lines: readonly Judged[], label: string): Score {
  return sum(
    lines.map((line) => {
      const expected = textsOf(line.expected, label)
      const found = textsOf(line.found, label)
      const left = [...expected]
      const right = found.filter((name) => left.includes(name) && left.splice(left.indexOf(name), 1))
      return { right: right.length, found: found.length, expected: expected.length }
    }),
  )
}

function textsOf(entities: readonly Entity[], label: string): readonly string[] {
  return entities.filter((entity) => entity.label === label).map(({ text }) => text)
}

function sum(scores: readonly Score[]): Score {
  return scores.reduce((one, other) => ({
    right: one.right + other.right,
    found: one.found + other.found,
    expected: one.expected + other.expected,
  }))
}

function f1({ right, found, expected }: Score): number {
  return (2 * right) / (found + expected)
}

function figures(score: Score): string {
  const { right, found, expected } = score
  const [precision, recall] = [right / found, right / expected].map((value) => value.toFixed(2))
  return `precision ${precision}  recall ${recall}  F1 ${f1(score).toFixed(2)}  (${expected} labelled, ${found} found)`
}

function judgeCorpus(): readonly Judged[] {
  const text = readFileSync(new URL('../../../test/corpus/entities.jsonl', import.meta.url), 'utf8')
  return text.trimEnd().split('\n').map(judge)
}

function judge(json: string): Judged {
  const line: unknown = JSON.parse(json)
  assert.ok(isJsonObject(line) && typeof line.text === 'string' && Array.isArray(line.entities))
  const entities = line.entities.filter(isEntity)
  assert.equal(entities.length, line.entities.length)
  const { text } = line
  return { expected: entities, found: foundIn(text) }
}

function foundIn(text: string): readonly Entity[] {
  return recognize(text).map(({ start, end, label }) => ({ text: text.slice(start, end), label }))
}

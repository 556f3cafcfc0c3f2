import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { LLM_GATEWAY_REASONS, PROCESSOR_REASONS, ROUTER_REASONS } from '@llm-gateway/crds'
import { errorTable } from '@llm-gateway/gateway/errors'
import { BUS_CODE_TEXTS, FILE_CODE_TEXTS, REASON_TEXTS } from './code-texts.ts'
import { crdFields } from './crd-pages.ts'
import { ERROR_TEXTS } from './error-texts.ts'
import { knownTypes } from './errors-page.ts'
import { definedMetrics, LABELS, namedMetrics } from './metrics-page.ts'
import { programSources, readVariables } from './read-variables.ts'
import { VARIABLE_GROUPS } from './variable-texts.ts'

const ROOT = join(import.meta.dirname, '../..')

test('every error code is documented with cause and remedy, and no other code is', () => {
  assert.deepEqual(Object.keys(ERROR_TEXTS).sort(), Object.keys(errorTable).sort())
  const types = new Set(Object.values(errorTable).map(({ type }) => type))
  assert.deepEqual([...knownTypes()].sort(), [...types].sort())
})

for (const kind of ['LLMGateway', 'Router', 'Processor'] as const) {
  test(`every field of ${kind} is described`, () => {
    const fields = crdFields(kind)
    assert.ok(fields.length > 20)
    assert.deepEqual(
      fields.filter(({ description }) => description === '').map(({ path }) => path),
      [],
    )
  })
}

test('every metric that a program names has a definition with a text', () => {
  const metrics = definedMetrics()
  const names = new Set(metrics.map(({ name }) => name))
  assert.ok(names.size >= 80)
  assert.deepEqual(
    [...namedMetrics()].filter((name) => !names.has(name)),
    [],
  )
  assert.deepEqual(
    metrics.filter(({ help }) => help === '').map(({ name }) => name),
    [],
  )
  assert.deepEqual(
    Object.keys(LABELS).filter((name) => !names.has(name)),
    [],
  )
})

test('every environment variable that a program reads is documented, and no other', () => {
  const documented = VARIABLE_GROUPS.flatMap(({ variables }) => Object.keys(variables))
  assert.equal(new Set(documented).size, documented.length, 'each stands once')
  assert.deepEqual(documented.sort(), [...readVariables().keys()].sort())
})

/** Returns the names in the first cells of a page's tables. */
function firstCells(page: string, part?: string): readonly string[] {
  const text = readFileSync(join(ROOT, 'docs/reference', page), 'utf8')
  const section = part === undefined ? text : (text.split(`\n## ${part}\n`)[1]?.split('\n## ')[0] ?? '')
  const cells = section.split('\n').flatMap((line) => (line.startsWith('| `') ? [line.split('|')[1] ?? ''] : []))
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))
}

/** Returns the members of an exported type of the protocol, in order. */
function membersOf(file: string, type: string): readonly string[] {
  const text = readFileSync(join(ROOT, 'processors/protocol/src', file), 'utf8')
  const [body = ''] = (text.split(`export type ${type} = {\n`)[1] ?? '').split('\n}')
  return [...body.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, name = '']) => name)
}

for (const { part, file, type } of [
  { part: 'Root', file: 'record.ts', type: 'LogRecord' },
  { part: 'Request', file: 'record.ts', type: 'RecordRequest' },
  { part: 'Response', file: 'record.ts', type: 'RecordResponse' },
  { part: 'Columns', file: 'record-row.ts', type: 'RecordRow' },
]) {
  test(`record.md tells of every member of ${type}, and of no other`, () => {
    const members = membersOf(file, type)
    assert.ok(members.length >= 9)
    assert.deepEqual(firstCells('record.md', part), members)
  })
}

test('the record of record.md is the one that the gateway is held to', () => {
  const text = readFileSync(join(ROOT, 'docs/reference/record.md'), 'utf8')
  const [, block = ''] = /```json record\n([\s\S]*?)```/.exec(text) ?? []
  const golden: unknown = JSON.parse(readFileSync(join(ROOT, 'test/spec/record/golden/200.json'), 'utf8'))
  assert.deepEqual(JSON.parse(block), golden)
})

test('bus.md tells of every text with which a processor’s reply or field fails, and of no other', () => {
  const files = ['bus/{nats-bus,pending-calls}', 'pipeline/*', 'transaction/{request-side,response-side,merge-headers}']
  const sources = programSources(files.map((file) => `gateway/src/${file}.ts`))
  const written = sources.flatMap(({ text }) => [
    ...text.matchAll(/(?:error: |details: |errors\.push\()['`]([a-z -]+)/g),
  ])
  const texts = new Set(written.map(([, text = '']) => text))
  const told = new Set(firstCells('bus.md', 'Failures').map((cell) => cell.split(':')[0]))
  assert.deepEqual([...told].sort(), [...texts].sort())
})

test('kubernetes.md tells what to do about every reason of a condition, and of no other', () => {
  const tables = [LLM_GATEWAY_REASONS, ROUTER_REASONS, PROCESSOR_REASONS]
  const reasons = new Set<string>(tables.flatMap((table) => Object.values(table).flat()))
  assert.deepEqual([...firstCells('kubernetes.md', 'Reasons')].sort(), [...reasons].sort())
})

test('every reason why a setting is refused is documented, and no other', () => {
  const texts = programSources(['conf/src/**/*.ts', 'processors/*/src/**/*.ts']).map(({ text }) => text)
  const whole = texts.flatMap((text) => [...text.matchAll(/'([a-z_]+:(?:Path|path|member)?)'/g)])
  // Reasons composed of a name and the expected value, or of a field of a sink.
  const made = ['type:', 'min:', 'max:', 'oneof:', 'index:', 'rule_id:', 'client_id:', 'table:', 'bucket:']
  const all = [...whole.map(([, name = '']) => name), ...made, ...pythonReasons()]
  const found = new Set(all.filter((name) => !NO_REASONS.has(name)))
  assert.deepEqual(Object.keys(REASON_TEXTS).sort(), [...found].sort())
})

/** Returns the reasons in the SDK for Python, each without the expected type or value that follows it. */
function pythonReasons(): readonly string[] {
  const texts = programSources(['processors/sdk-python/llm_gateway_sdk/*.py']).map(({ text }) => text)
  const reasons = texts.flatMap((text) => [...text.matchAll(/(?<!")"([a-z_]+:)(?:[a-z]*|[ {][^"]*)"/g)])
  assert.ok(reasons.length >= 15, String(reasons.length))
  return reasons.map(([, name = '']) => name)
}

/** Texts of the same form with another meaning. */
const NO_REASONS: ReadonlySet<string> = new Set(['data:', 'http:', 'https:', 'node:path'])

test('every reason of a lost record is documented, and no other', () => {
  const source = readFileSync(join(ROOT, 'gateway/src/bus/record-publisher.ts'), 'utf8')
  const [union = ''] = (source.split('export type LostReason =')[1] ?? '').split('\n')
  const reasons = [...union.matchAll(/'(\w+)'/g)].map(([, name = '']) => name)
  assert.ok(reasons.length >= 4)
  assert.deepEqual([...firstCells('kept-records.md', 'Losses')].sort(), reasons.sort())
})

for (const { texts, file, type } of [
  { texts: BUS_CODE_TEXTS, file: 'gateway/src/bus/bus-error-code.ts', type: 'BusErrorCode' },
  { texts: FILE_CODE_TEXTS, file: 'conf/src/read-delivery.ts', type: 'ConfErrorCode' },
]) {
  test(`every ${type} is documented, and no other`, () => {
    const [, rest = ''] = readFileSync(join(ROOT, file), 'utf8').split(`export type ${type} =`)
    const [union = ''] = rest.split(/\n\n/)
    const codes = [...union.matchAll(/'([A-Z_]+)'/g)].map(([, name = '']) => name)
    assert.ok(codes.length >= 4)
    assert.deepEqual(Object.keys(texts).sort(), codes.sort())
  })
}

test('every field, parameter and failure on the page of the JSON API has its meaning', () => {
  const text = readFileSync(join(ROOT, 'docs/reference/web-api.md'), 'utf8')
  const rows = text.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| --- '))
  assert.ok(rows.length > 300, String(rows.length))
  assert.deepEqual(
    rows.filter((line) => (line.split(/(?<!\\)\|/).at(-2) ?? '').trim() === ''),
    [],
  )
})

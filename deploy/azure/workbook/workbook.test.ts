import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readArm } from '../reading/arm-under-test.ts'
import { deployArm } from '../reading/deployment-under-test.ts'
import { createQueryCheck } from '../reading/kusto-under-test.ts'
import { RECORD_COLUMNS, RECORD_TABLE } from '../resources/record-columns.ts'
import { type Query, ROUTER, ROUTERS_QUERY, SECTIONS, TIME_RANGE, WANTED } from './queries.ts'
import { workbookContent } from './workbook.ts'

const check = createQueryCheck(RECORD_TABLE, RECORD_COLUMNS)
const queries = SECTIONS.flatMap(({ queries }) => queries)
const VALUES = new Map([
  [`{${TIME_RANGE}:grain}`, '5m'],
  [`{${ROUTER}}`, '/service/standard/'],
  [`{${WANTED}}`, 'GATEWAY1_1_2_0'],
])

/** Returns a query as Azure sends it, with a value for each parameter. */
function filled(query: string): string {
  return query.replaceAll(/\{\w+(:\w+)?\}/g, (name) => VALUES.get(name) ?? assert.fail(`no parameter ${name}`))
}

for (const { title, query, shape } of queries) {
  test(`“${title}” is a query on the table of records, and returns the columns that its ${shape} draws`, () => {
    const { complaints, columns } = check(filled(query))
    assert.deepEqual(complaints, [])
    const types = columns.map(({ type }) => type)
    const numbers = types.filter((type) => type === 'long' || type === 'real')
    if (shape === 'timechart') assert.ok(types[0] === 'datetime' && numbers.length > 0, types.join())
    else if (shape === 'barchart') assert.ok(types[0] === 'string' && numbers.length > 0, types.join())
    else assert.ok(columns.length > 1)
  })
}

test('the query for the list of routers returns one column of texts', () => {
  const { complaints, columns } = check(ROUTERS_QUERY)
  assert.deepEqual(complaints, [])
  assert.deepEqual(columns, [{ name: 'Router', type: 'string' }])
})

const WRONG: readonly (readonly [what: string, query: string])[] = [
  ['a column that the table lacks', `${RECORD_TABLE} | where Path == '/a/'`],
  ['another table', 'Requests | count'],
  ['a word that is no operator', `${RECORD_TABLE} | count by`],
  ['a value of the wrong kind', `${RECORD_TABLE} | where strlen(Status) > 1`],
  [
    'a parameter that nothing replaced',
    `${RECORD_TABLE} | summarize count() by bin(TimeGenerated, {${TIME_RANGE}:grain})`,
  ],
]
for (const [what, query] of WRONG)
  test(`the check of queries finds ${what}`, () => assert.notDeepEqual(check(query).complaints, []))

test('the template has the complete workbook, and each query has a place in it', () => {
  const arm = readArm(readFileSync(join(import.meta.dirname, '../main.json'), 'utf8'))
  const { resources } = deployArm(arm, { aiServiceApiBase: 'https://llm.example', natsToken: 'a token of some length' })
  const workbook = [...resources.values()].find(({ type }) => type === 'Microsoft.Insights/workbooks')
  const serialized = /"serializedData":("(?:[^"\\]|\\.)*")/.exec(JSON.stringify(workbook?.body))?.[1] ?? ''
  assert.deepEqual(JSON.parse(JSON.parse(serialized)), JSON.parse(JSON.stringify(workbookContent())))
  for (const { title } of queries satisfies readonly Query[]) assert.ok(serialized.includes(title), title)
})

test('traffic, latency, tokens, processors, errors and the search for a transaction have a section each', () => {
  const titles = SECTIONS.map(({ title }) => title)
  assert.deepEqual(titles, ['Traffic', 'Latency', 'Tokens', 'Processors', 'Errors', 'Find a transaction'])
  for (const { title, queries } of SECTIONS) assert.ok(queries.length > 0, title)
})

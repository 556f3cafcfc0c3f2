import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkGlConfig } from '@llm-gateway/conf'
import fc from 'fast-check'
import { compile } from '../config/compile.ts'
import type { RowTable } from '../config/runtime-config.ts'
import { nextRow } from './run-rows.ts'

// Rules: docs/reference/configuration-rules.md#rows-and-entries, docs/reference/bus.md#order-of-rows

type Entry = { readonly routers?: readonly string[] }

const PATHS = ['/a/', '/b/', '/c/', '/unknown/', '/off/']
const some = fc.uniqueArray(fc.constantFrom(...PATHS))
const entry = fc.oneof(fc.constant({}), fc.record({ routers: some }))
const rows = fc.array(fc.array(entry, { maxLength: 3 }), { maxLength: 8 })

function tableOf(rows: readonly (readonly Entry[])[]): RowTable {
  const named = rows.map((row, at) =>
    row.map((entry) => ({ ...entry, name: `row${at}`, service_bus_topic: 's', timeout: 1 })),
  )
  const outbound = { url: 'http://h' }
  const routers = [...['/a/', '/b/', '/c/'].map((path) => ({ path, outbound })), { path: '/off/', disabled: true }]
  const file = { routers, request: { processors: named } }
  const check = checkGlConfig(Buffer.from(JSON.stringify(file)), { environment: {} })
  assert.ok(check.kind === 'checked')
  return compile(check.config, check.digest).requestRows
}

/** Returns the names of the rows that a call looks at. */
function seen(table: RowTable, ingress: string, answering: string): readonly (string | undefined)[] {
  const names: (string | undefined)[] = []
  const routers = { ingress, answering }
  for (let row = nextRow(table, routers); row !== undefined; row = nextRow(table, routers, row))
    names.push([...row.sync, ...row.async][0]?.name)
  return names
}

test('a call looks at the rows with an entry for its routers, in the file’s order', () => {
  const path = fc.constantFrom('/a/', '/b/', '/c/')
  fc.assert(
    fc.property(rows, path, path, (rows, ingress, answering) => {
      const concerns = ({ routers }: Entry) =>
        routers === undefined || routers.includes(ingress) || routers.includes(answering)
      const expected = rows.flatMap((row, at) => (row.some(concerns) ? [`row${at}`] : []))
      assert.deepEqual(seen(tableOf(rows), ingress, answering), expected)
    }),
  )
})

test('a call looks at none of 5,000 rows of other routers', () => {
  const table = tableOf(Array.from({ length: 5_000 }, (_, index) => (index % 2 === 0 ? [{ routers: ['/a/'] }] : [])))
  assert.deepEqual([table.everywhere.length, seen(table, '/b/', '/c/').length], [0, 0])
  assert.equal(seen(table, '/b/', '/a/').length, 2_500)
})

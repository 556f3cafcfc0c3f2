import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'yaml'
import { admissionRows } from './admission-table-under-test.ts'
import { definitions } from './definitions.ts'
import { createFormJudge, isKindName } from './form-errors.ts'
import { schemaNodes } from './schema-nodes-under-test.ts'
import { isJsonObject } from './structural-schema.ts'

const formErrors = createFormJudge()
const rows = admissionRows().filter(({ was }) => was === undefined)

const messages = ruleMessages()
/** Refusals that only the API server makes: by CEL rules other than the name's, and for repeated keys of lists. */
const isForTheServer = (error: string) =>
  !error.startsWith('metadata.name') &&
  (error.includes('Duplicate value') || messages.some((message) => error.includes(message)))

for (const { what, candidate, error } of rows) {
  const { kind, name, spec } = candidate
  if (!isKindName(kind) || isForTheServer(error)) continue
  test(`without an API server: ${what}`, () => {
    const errors = formErrors(kind, { kind, metadata: { name }, spec })
    if (error === '') assert.deepEqual(errors, [])
    else
      assert.ok(
        errors.some((found) => found.includes(fieldOf(error))),
        `${fieldOf(error)} in ${errors.join('; ')}`,
      )
  })
}

test('an unknown field beside the spec is named', () => {
  assert.deepEqual(formErrors('LLMGateway', { metadata: { name: 'a' }, spec: {}, sepc: {} }), ['unknown field sepc'])
})

/** Returns the field that the API server names first. */
function fieldOf(error: string): string {
  return /unknown field "([^"]+)"/.exec(error)?.[1] ?? /^\[?([^:]+):/.exec(error)?.[1] ?? error
}

function ruleMessages(): readonly string[] {
  const nodes = [...definitions().values()].flatMap((yaml) => schemaNodes(parse(yaml)))
  return nodes.flatMap(({ node }) => {
    const rules = node['x-kubernetes-validations']
    return Array.isArray(rules) ? rules.filter(isJsonObject).map(({ message }) => String(message)) : []
  })
}

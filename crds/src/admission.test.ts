import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { whyNoApiServer } from '@llm-gateway/test/fake/api-server'
import { parse } from 'yaml'
import { admissionRows } from './admission-table-under-test.ts'
import { type Admission, startAdmission } from './admission-under-test.ts'
import { definitions } from './definitions.ts'
import { extremesOf } from './extremes-under-test.ts'
import { llmGatewaySpecSchema } from './llm-gateway.ts'
import { processorSpecSchema } from './processor.ts'
import { routerSpecSchema } from './router.ts'
import { schemaNodes } from './schema-nodes-under-test.ts'
import { isJsonObject, type Json } from './structural-schema.ts'

// Rules: docs/reference/kubernetes.md#kinds

const rows = admissionRows()

describe('the API server’s strict validation', {
  skip: whyNoApiServer(process.env),
}, () => {
  let admission: Admission
  before(async () => {
    admission = await startAdmission()
  })
  after(() => admission?.close())

  for (const { what, candidate, was, error } of rows) {
    test(`${what} is ${error === '' ? 'taken' : 'refused'}`, async () => {
      assert.equal(await admission.judge(candidate, was), error)
    })
    if (error !== '' || was !== undefined) continue

    test(`${what}: the API server fills in the defaults that the operator knows`, async () => {
      const taken = await admission.take(candidate)
      assert.deepEqual(taken?.spec, JSON.parse(JSON.stringify(specOf(candidate.kind, candidate.spec))))
    })

    test(`${what}: the operator can read every value that the API server accepts`, async () => {
      for (const spec of extremesOf(candidate.spec)) {
        const taken = await admission.take({ ...candidate, spec })
        if (taken !== undefined) specOf(candidate.kind, taken.spec)
      }
    })
  }
})

const errors = rows.map(({ candidate, error }) => ({ kind: candidate.kind, error }))
const nodes = [...definitions().values()].flatMap((yaml) => [...schemaNodes(parse(yaml))])

test('each validation rule has a row of the table that breaks it, in each kind', () => {
  const unbroken = nodes.flatMap(({ kind, at, node }) =>
    rulesOf(node)
      .filter((message) => !errors.some((row) => row.kind === kind && row.error.includes(message)))
      .map((message) => `${kind}${at}: ${message}`),
  )
  assert.deepEqual(unbroken, [])
})

test('each pattern has a row of the table that breaks it', () => {
  const patterns = new Set(nodes.flatMap(({ node }) => (typeof node.pattern === 'string' ? [node.pattern] : [])))
  assert.ok(patterns.size > 10)
  assert.deepEqual(
    [...patterns].filter((pattern) => !errors.some(({ error }) => error.includes(`match '${pattern}'`))),
    [],
  )
})

test('a broken rule is reported with the name of the field', () => {
  for (const { error } of errors.filter(({ error }) => error !== '')) {
    assert.match(error, /^\[?(spec|metadata)[.:]|unknown field "spec\./)
  }
})

/** Decodes a spec as the operator does; throws where that fails. */
function specOf(kind: string, spec: unknown): unknown {
  const schemas: Readonly<Record<string, { parse(spec: unknown): unknown }>> = {
    LLMGateway: llmGatewaySpecSchema,
    Router: routerSpecSchema,
    Processor: processorSpecSchema,
  }
  return schemas[kind]?.parse(spec)
}

function rulesOf(node: { readonly [key: string]: Json }): readonly string[] {
  const rules = node['x-kubernetes-validations']
  if (!Array.isArray(rules)) return []
  return rules.filter(isJsonObject).map(({ message }) => String(message))
}

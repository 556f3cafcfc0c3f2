import assert from 'node:assert/strict'
import { test } from 'node:test'
import { API_VERSION } from '@llm-gateway/crds'
import {
  type Arbitrary,
  anything,
  constantFrom,
  assert as holds,
  jsonValue,
  oneof,
  property,
  record,
  string,
} from 'fast-check'
import { stringify } from 'yaml'
import { importGlConfig } from '../import/import-gl-config.ts'
import { decodeResources } from './decode-resources.ts'
import { parseFile } from './parse-file.ts'
import { render } from './render.ts'

const json = jsonValue({ maxDepth: 4 })
/** Makes a value that is valid in most cases, so that invalid values occur at every place. */
function mostly<T>(good: Arbitrary<T>): Arbitrary<unknown> {
  return oneof({ weight: 12, arbitrary: good }, { weight: 1, arbitrary: json })
}

const name = constantFrom('a', 'b')
const object = record({
  apiVersion: mostly(constantFrom(API_VERSION)),
  kind: mostly(
    constantFrom('LLMGateway', 'LLMGateway', 'Router', 'Processor', 'Secret', 'ConfigMap', 'Namespace', 'List'),
  ),
  metadata: mostly(record({ name: mostly(name), namespace: mostly(constantFrom('x')) })),
  spec: oneof(
    { weight: 3, arbitrary: constantFrom({}) },
    record({
      gatewayRef: mostly(record({ name })),
      path: mostly(constantFrom('/a/', '/')),
      outbound: mostly(record({ url: mostly(string()) })),
    }),
    record({ gatewayRef: mostly(record({ name })), type: mostly(constantFrom('Mock', 'Tokenizer', 'ContentFilter')) }),
    json,
  ),
})

test('every folder is rendered, or refused with an error message', () => {
  let rendered = 0
  holds(
    property(object, object, (first, second) => {
      const parsed = parseFile('a.yaml', `${stringify(first)}---\n${stringify(second)}`)
      const objects = parsed.kind === 'objects' ? parsed.objects : []
      const decoded = decodeResources(objects.map((object) => ({ file: 'a.yaml', object })))
      if (decoded.kind === 'decoded') rendered += render(decoded.resources, 'image').gateways.length
      else assert.ok(decoded.errors.length > 0)
    }),
    { numRuns: 600, seed: 6 },
  )
  assert.ok(rendered > 5, `${rendered} gateways`)
})

test('every gl_config.json is imported, or refused with an error message', () => {
  const target = { name: 'main', namespace: 'llm' }
  const router = record(
    { path: oneof(constantFrom('/a/', '/b/'), json), outbound: json, ingress: json, internal: json },
    { requiredKeys: [] },
  )
  const config = record({ routers: oneof(constantFrom([]), json), tls: json, logger: json }, { requiredKeys: [] })
  let imported = 0
  holds(
    property(oneof(config, json), router, (some, one) => {
      const file = Array.isArray(some) || typeof some !== 'object' ? some : { ...some, routers: [one] }
      const outcome = importGlConfig(Buffer.from(JSON.stringify(file)), target)
      if (outcome.kind === 'imported') imported += 1
      else assert.ok(outcome.errors.length > 0, JSON.stringify(file))
    }),
    { numRuns: 200, seed: 6 },
  )
  assert.ok(imported > 10, `${imported} files`)
  holds(
    property(anything({ withBigInt: false }), (value) => {
      importGlConfig(Buffer.from(String(JSON.stringify(value))), target)
    }),
    { numRuns: 100, seed: 6 },
  )
})

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { definitions } from './definitions.ts'
import { schemaNodes } from './schema-nodes-under-test.ts'
import type { JsonObject } from './structural-schema.ts'

const folder = join(import.meta.dirname, '../manifests')

test('the manifests are as the schemas generate them, and no other file is beside them', () => {
  assert.deepEqual(readdirSync(folder).sort(), [...definitions().keys()].sort())
  for (const [file, text] of definitions()) {
    assert.equal(readFileSync(join(folder, file), 'utf8'), text, 'run `make generate`')
    assert.match(text, /^# Generated/)
  }
})

/** Keys that a structural schema may have (apiextensions.k8s.io/v1, JSONSchemaProps), of those that zod could write. */
const KEYWORDS: ReadonlySet<string> = new Set([
  'type',
  'description',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'enum',
  'pattern',
  'format',
  'default',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'maxItems',
  'minItems',
  'maxProperties',
  'anyOf',
])

/** A character class of a pattern. */
const CLASS = /\[(\\.|[^\]])*\]/g

for (const [file, yaml] of definitions()) {
  const nodes = schemaNodes(parse(yaml))

  test(`${file} is below 200 KB`, () => assert.ok(yaml.length < 200_000))

  test(`every field of ${file} is described`, () => {
    const bare = nodes.filter(({ at, node }) => isField(at) && typeof node.description !== 'string')
    assert.ok(nodes.length > 20)
    assert.deepEqual(
      bare.map(({ at }) => at).filter((at) => at !== '.metadata'),
      [],
    )
  })

  test(`every list, map and text of ${file} has a bound`, () => {
    const unbounded = nodes.filter(({ at, node }) => !at.match(/^(\.(apiVersion|kind|metadata))?$/) && !isBounded(node))
    assert.deepEqual(
      unbounded.map(({ at }) => at),
      [],
    )
  })

  test(`${file} holds only keywords that a structural schema may have`, () => {
    const strange = nodes.flatMap(({ at, node }) =>
      Object.keys(node)
        .filter((key) => !KEYWORDS.has(key) && !key.startsWith('x-kubernetes-'))
        .map((key) => `${at} ${key}`),
    )
    assert.deepEqual(strange, [])
  })

  test(`every number of the spec of ${file} has bounds that JavaScript can hold`, () => {
    const numbers = nodes.filter(
      ({ at, node }) => at.startsWith('.spec') && /^(integer|number)$/.test(String(node.type)),
    )
    const unbounded = numbers.filter(({ node }) => node.minimum === undefined || node.maximum === undefined)
    assert.deepEqual(
      unbounded.map(({ at }) => at),
      [],
    )
  })

  test(`RE2 and JavaScript read the patterns of ${file} alike`, () => {
    for (const { at, node } of nodes) {
      if (typeof node.pattern !== 'string') continue
      assert.match(node.pattern, /^\^.*\$$/, at)
      // Refuses look-around, back-references, lazy and possessive repeats, then sets of classes and classes with
      // different meanings in RE2 and JavaScript.
      assert.doesNotMatch(node.pattern.replaceAll(CLASS, 'x'), /\(\?|\\[1-9kpPbB]|[*+?}][+?]/, at)
      assert.doesNotMatch(node.pattern, /\[:|&&|\\[sSwWdDvh]/, at)
      assert.doesNotThrow(() => new RegExp(String(node.pattern)), at)
    }
  })

  test(`every list of ${file} says how it merges`, () => {
    const silent = nodes.filter(({ node }) => node.type === 'array' && node['x-kubernetes-list-type'] === undefined)
    assert.deepEqual(
      silent.map(({ at }) => at),
      [],
    )
  })
}

function isField(at: string): boolean {
  return !at.endsWith('[]') && !at.endsWith('{}')
}

function isBounded(node: JsonObject): boolean {
  if (node.type === 'string') return node.maxLength !== undefined || node.enum !== undefined
  if (node.type === 'array') return node.maxItems !== undefined
  return node.additionalProperties === undefined || node.maxProperties !== undefined
}

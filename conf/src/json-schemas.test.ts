import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { isObject } from './json-object.ts'
import { jsonSchemas } from './json-schemas.ts'

// Rules: docs/reference/configuration-rules.md#references

const folder = join(import.meta.dirname, '..')

for (const [name, text] of jsonSchemas()) {
  test(`${name} is up to date with its zod schema`, async () => {
    assert.equal((await readFile(join(folder, name))).toString(), text, 'run `make generate`')
  })

  test(`the configuration file names ${name} in $schema`, async () => {
    const file: unknown = JSON.parse((await readFile(join(folder, name.replace('.schema', '')))).toString())
    assert.equal(isObject(file) && file.$schema, `./${name}`)
  })
}

function property(schema: string, ...path: readonly string[]): unknown {
  const root: unknown = JSON.parse(jsonSchemas().get(schema) ?? '')
  return path.reduce<unknown>((node, name) => {
    const properties = isObject(node) ? node.properties : undefined
    return isObject(properties) ? properties[name] : undefined
  }, root)
}

test('a number or boolean may also be a single reference, and its default is in the schema', () => {
  const reference = { type: 'string', pattern: '^\\$(\\{[A-Za-z_][A-Za-z0-9_]*\\}|[A-Za-z_][A-Za-z0-9_]*)$' }
  assert.deepEqual(property('gl_config.schema.json', 'gl_port'), {
    description: 'Port for callers. 0: the system chooses a free port.',
    default: 5380,
    anyOf: [{ type: 'integer', minimum: 0, maximum: 65535 }, reference],
  })
  assert.deepEqual(property('gl_config.schema.json', 'tls', 'ingress', 'enabled'), {
    description: '`true`: the port serves HTTPS instead of HTTP.',
    default: false,
    anyOf: [{ type: 'boolean' }, reference],
  })
})

test('the schema describes a router’s headers', () => {
  const routers = property('gl_config.schema.json', 'routers')
  const text = JSON.stringify(routers)
  assert.match(
    text,
    /"headers":\{[^{}]*"type":"object","additionalProperties":\{"type":"array","items":\{"type":"string"\}\}/,
  )
  assert.match(text, /"required":\["path"\]/)
})

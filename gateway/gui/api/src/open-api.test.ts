import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Endpoint, endpoints, FAILURES, failuresOf, openApi } from './index.ts'

const EDITIONS = ['standalone', 'kubernetes'] as const

for (const edition of EDITIONS)
  test(`the OpenAPI document of ${edition} has each endpoint once, and each of its references resolves`, () => {
    const document = openApi('1.2.3', edition)
    const text = JSON.stringify(document)
    const all = Object.entries<Endpoint>(endpoints)
    assert.equal(
      all.some(([, endpoint]) => endpoint.edition !== undefined && endpoint.edition !== edition),
      true,
    )
    for (const [name, one] of all) {
      const times = one.edition === undefined || one.edition === edition ? 1 : 0
      assert.equal(text.split(`"operationId":"${name}"`).length - 1, times, name)
    }
    const references = new Set([...text.matchAll(/"\$ref":"([^"]*)"/g)].map(([, target = '']) => target))
    assert.ok(references.size > 10, String(references.size))
    for (const target of references) assert.notEqual(at(document, target), undefined, target)
    assert.match(text, /"openapi":"3\.1\.0"/)
  })

for (const edition of EDITIONS)
  test(`the OpenAPI document of ${edition} has a sentence for each field, parameter and shared object`, () => {
    const document = openApi('', edition)
    const places = describedPlaces(document)
    assert.ok(places.length > 200, String(places.length))
    assert.deepEqual(
      places.filter(({ description }) => !isSentence(description)).map(({ place }) => place),
      [],
    )
  })

test('a field without a sentence is found', () => {
  const properties = { name: { type: 'string' }, path: { type: 'string', description: 'The path.' } }
  const found = describedPlaces({ paths: { a: { items: { properties } } } })
  assert.deepEqual(
    found.filter(({ description }) => !isSentence(description)).map(({ place }) => place),
    ['/paths/a/items/properties/name'],
  )
  assert.equal(isSentence('Without its end'), false)
  assert.equal(isSentence('the beginning.'), false)
})

test('each request lists the status and the codes of all of its failures', () => {
  const document = openApi('', 'standalone')
  for (const [name, one] of Object.entries<Endpoint>(endpoints)) {
    if (one.edition === 'kubernetes') continue
    const path = one.path.replaceAll(/:(\w+)/g, '{$1}')
    const responses = at(document, `#/paths/${path.replaceAll('/', '~1')}/${one.method.toLowerCase()}/responses`)
    const listed = Object.entries<unknown>(Object(responses))
      .filter(([status]) => status !== '200')
      .flatMap(([status, answer]) => codesOf(answer).map((code) => `${status} ${code}`))
    assert.ok(listed.length >= 3, name)
    assert.deepEqual(
      listed.toSorted(),
      failuresOf(one)
        .map((code) => `${FAILURES[code].status} ${code}`)
        .toSorted(),
      name,
    )
  }
})

type Place = { readonly place: string; readonly description: unknown }

/** Returns the properties of all schemas, the parameters and the shared schemas, with their descriptions. */
function describedPlaces(document: unknown): readonly Place[] {
  const found: Place[] = []
  const visit = (node: unknown, place: string): void => {
    if (typeof node !== 'object' || node === null) return
    for (const [key, value] of Object.entries<unknown>({ ...node })) {
      const isHolder = key === 'properties' || key === 'schemas' || key === 'parameters'
      if (isHolder && typeof value === 'object' && value !== null)
        for (const [name, one] of Object.entries(value))
          found.push({ place: `${place}/${key}/${name}`, description: Object(one).description })
      visit(value, `${place}/${key}`)
    }
  }
  visit(document, '')
  return found
}

function isSentence(text: unknown): boolean {
  return typeof text === 'string' && /^(?:[A-Z0-9]|`|[a-z]\w*_\w+)/.test(text) && text.endsWith('.')
}

function codesOf(answer: unknown): readonly string[] {
  const codes: unknown = Object(answer)['x-codes']
  return Array.isArray(codes) ? codes.map(String) : []
}

function at(document: unknown, pointer: string): unknown {
  const steps = pointer
    .replace(/^#\//, '')
    .split('/')
    .map((step) => step.replaceAll('~1', '/'))
  return steps.reduce<unknown>((node, step) => Object(node)[step], document)
}

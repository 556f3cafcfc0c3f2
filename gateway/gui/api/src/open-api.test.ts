import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Endpoint, endpoints, openApi } from './index.ts'

for (const edition of ['standalone', 'kubernetes'] as const)
  test(`the OpenAPI document of ${edition} has each endpoint once, and each of its references resolves`, () => {
    const document = openApi('1.2.3', edition)
    const text = JSON.stringify(document)
    const all = Object.entries<Endpoint>(endpoints)
    assert.equal(
      all.some(([, one]) => one.edition !== undefined && one.edition !== edition),
      true,
    )
    for (const [name, one] of all) {
      const times = one.edition === undefined || one.edition === edition ? 1 : 0
      assert.equal(text.split(`"operationId":"${name}"`).length - 1, times, name)
    }
    const references = [...text.matchAll(/"\$ref":"(#[^"]*)"/g)].map(([, target = '']) => target)
    assert.ok(references.length > 0)
    assert.deepEqual([...new Set(references)], ['#/components/schemas/Failure'])
    assert.match(text, /"schemas":\{"Failure":\{/)
    assert.match(text, /"openapi":"3\.1\.0"/)
  })

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endpoints, openApi } from './index.ts'

test('the OpenAPI document has every endpoint once, each reference in it points somewhere', () => {
  const document = openApi('1.2.3')
  const text = JSON.stringify(document)
  for (const name of Object.keys(endpoints)) assert.equal(text.split(`"operationId":"${name}"`).length, 2, name)
  const references = [...text.matchAll(/"\$ref":"(#[^"]*)"/g)].map(([, target = '']) => target)
  assert.ok(references.length > 0)
  assert.deepEqual([...new Set(references)], ['#/components/schemas/Failure'])
  assert.match(text, /"schemas":\{"Failure":\{/)
  assert.match(text, /"openapi":"3\.1\.0"/)
})

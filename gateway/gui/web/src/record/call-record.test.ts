import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readRecord } from './call-record.ts'
import { curlCommand } from './curl-command.ts'

test('a record with a value of any form in place of a text is shown', () => {
  const odd = { toString: 1, valueOf: 1 }
  const { hops, query, errors } = readRecord({
    request: {
      gl_path: odd,
      ingress_headers: { 'X-Odd': [odd, 7, null, 'text'] },
      ingress_query_parameters: [
        { name: 'q', details: [odd] },
        { name: odd, details: odd },
      ],
      error: [{ name: 'e', details: odd }, { name: 'none' }],
    },
    response: [],
  })
  assert.deepEqual(hops[0]?.headers.get('X-Odd'), ['{"toString":1,"valueOf":1}', '7', 'null', 'text'])
  assert.deepEqual(query, [['q', '{"toString":1,"valueOf":1}']])
  assert.deepEqual(
    errors.map(({ details }) => details),
    ['{"toString":1,"valueOf":1}', ''],
  )
})

test('the command for a path with brackets makes one call', () => {
  const request = { gl_path: '/x/', ingress_subpath: '[1-9999]/{a,b}', ingress_method: 'GET', ingress_headers: {} }
  const command = curlCommand(readRecord({ request }), 'http://gateway')
  assert.equal(command, "curl -g 'http://gateway/x/[1-9999]/{a,b}' \\\n  -X 'GET'")
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { admissionRows } from './admission-table-under-test.ts'
import { createFormJudge, isKindName } from './form-errors.ts'

const formErrors = createFormJudge()
const rows = admissionRows().filter(({ was }) => was === undefined)

/** What rules over several fields refuse, and lists whose keys repeat. */
const CEL_ONLY =
  /(Invalid value: |Required value: |Forbidden: )(must have|selector and|a (pool|secret)|every key|username|names no|no path|type: |belongs to|NATS_TOKEN|GATEWAY_HOST|\w+ is no phase|async comes)|Duplicate value|may have no dot segment/

for (const { what, candidate, error } of rows) {
  const { kind, name, spec } = candidate
  if (!isKindName(kind) || CEL_ONLY.test(error)) continue
  test(`without an API server: ${what}`, () => {
    const errors = formErrors(kind, { kind, metadata: { name }, spec })
    if (error === '') assert.deepEqual(errors, [])
    else
      assert.ok(
        errors.some((one) => one.includes(fieldOf(error))),
        `${fieldOf(error)} in ${errors.join('; ')}`,
      )
  })
}

test('a field beside the spec that nobody knows is named', () => {
  assert.deepEqual(formErrors('LLMGateway', { metadata: { name: 'a' }, spec: {}, sepc: {} }), ['unknown field sepc'])
})

/** The field that the API server names first. */
function fieldOf(error: string): string {
  return /unknown field "([^"]+)"/.exec(error)?.[1] ?? /^\[?([^:]+):/.exec(error)?.[1] ?? error
}

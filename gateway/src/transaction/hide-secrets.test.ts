import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hideSecrets } from './hide-secrets.ts'

// Rules: docs/reference/record.md#masks

const MASKED = '[*****MASKED*****]'
const KEY = 'AbCdEf/GhIjKl=='

for (const [address, secret, hidden] of [
  ['/a?k=AbCdEf/GhIjKl==&b=1', KEY, `/a?k=${MASKED}&b=1`],
  ['/a?k=AbCdEf%2FGhIjKl%3D%3D&b=1', KEY, `/a?k=${MASKED}&b=1`],
  ['/?k=AbCdEf/GhIjKl%3D%3D', KEY, MASKED],
  ['/login/?next=/v1/x%3Fk%3DAbCdEf/GhIjKl%3D%3D', KEY, MASKED],
  ['/?next=%2Fv1%3Fx%3D%25FF%26k%3DAbCdEf%252FGhIjKl%253D%253D', KEY, `/?next=${MASKED}`],
  ['/?next=%FF/v1%3Fk=AbCdEf%252FGhIjKl%253D%253D', KEY, `/?next=%FF/v1%3Fk=${MASKED}`],
  ['/?w=a/9&b', 'a/9', `/?w=${MASKED}&b`],
  ['/?w=xa/9&b=a/9x', 'a/9', '/?w=xa/9&b=a/9x'],
  ['/?w=a/9a/9&b', 'a/9', '/?w=a/9a/9&b'],
  ['/?w=xa/9&b=a/9', 'a/9', `/?w=xa/9&b=${MASKED}`],
  ['/?code=ab,cd&b', 'ab,cd', `/?code=${MASKED}&b`],
  ['/?code=ab%2Ccd&b', 'ab,cd', `/?code=${MASKED}&b`],
  ['/?next=%2F%3Fcode%3Dab%252Ccd', 'ab,cd', `/?next=${MASKED}`],
  ['<https://h/?code=ab%20cd>; rel="a b"', 'ab cd', `<https://h/?code=${MASKED}>; rel="a b"`],
  ['https://h/a/', '/', 'https://h/a/'],
  ['/?w=abc1234&b', 'abc1234', `/?w=${MASKED}&b`],
  ['/?next=%2F%3Fw%3Dabc1234', 'abc1234', `/?next=${MASKED}`],
  ['/xabc1234/', 'abc1234', '/xabc1234/'],
  ['/%zz?a=%', 'abc1234', '/%zz?a=%'],
] as const)
  test(`of ${address} without ${secret} is left: ${hidden}`, () => {
    assert.equal(hideSecrets(address, [secret]), hidden)
  })

test('a secret within a longer secret leaves no rest of the longer one', () => {
  assert.equal(hideSecrets('/?k=12345678/rest-of-it', ['12345678/rest-of-it', '12345678']), `/?k=${MASKED}`)
})

test('an address of a router with very many secrets is hidden without a search', () => {
  const secrets = Array.from({ length: 49 }, (_, index) => `a-long-secret-${index}`)
  assert.equal(hideSecrets('/', secrets.slice(1)), '/')
  assert.equal(hideSecrets('/', secrets), MASKED)
})

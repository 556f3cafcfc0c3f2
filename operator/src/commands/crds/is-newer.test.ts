import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isNewer, isVersion } from './is-newer.ts'

/** semver.org, 2.0.0, item 11: each is older than the next. */
const IN_ORDER = [
  '0.1.0-alpha',
  '0.1.0-alpha.1',
  '0.1.0-alpha.beta',
  '0.1.0-beta.2',
  '0.1.0-beta.11',
  '0.1.0-rc.1',
  '0.1.0',
  '0.1.1',
  '0.2.0',
  '0.10.0-1',
  '0.10.0',
  '1.0.0',
]
for (const [at, one] of IN_ORDER.entries()) {
  test(`${one} is newer than all versions before it in the list, and than no other`, () => {
    for (const [index, other] of IN_ORDER.entries()) assert.equal(isNewer(one, other), at > index, other)
  })
}

test('builds of one version have the same age', () => {
  assert.equal(isNewer('1.0.0+b', '1.0.0+a'), false)
  assert.equal(isNewer('1.0.0', '1.0.0+a'), false)
})

for (const text of [
  '',
  '1',
  '1.2',
  'v1.2.3',
  '1.2.3.4',
  '1.2.3-',
  '1.2.3-a..b',
  ' 1.2.3',
  `1.2.3-${'a'.repeat(300)}`,
]) {
  test(`"${text.slice(0, 12)}" is no version, and newer than none`, () => {
    assert.equal(isVersion(text), false)
    assert.equal(isNewer(text, '0.0.0'), false)
    assert.equal(isNewer('9.9.9', text), false)
  })
}

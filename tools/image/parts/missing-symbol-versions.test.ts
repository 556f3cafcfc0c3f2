import assert from 'node:assert/strict'
import { test } from 'node:test'
import { missingSymbolVersions } from './parts.ts'

const library = Buffer.from('\0GLIBC_2.2.5\0GLIBC_2.36\0GLIBCXX_3.4.30\0')

test('an addon that needs only existing symbol versions lacks none', () => {
  assert.deepEqual(missingSymbolVersions(Buffer.from('\0GLIBC_2.36\0GLIBCXX_3.4.30\0'), [library]), [])
})

test('the missing symbol versions of an addon from a newer machine are listed', () => {
  const addon = Buffer.from('\0GLIBC_2.2.5\0GLIBC_2.38\0GLIBCXX_3.4.32\0CXXABI_1.3.14\0GLIBC_2.38\0')
  assert.deepEqual(missingSymbolVersions(addon, [library]), ['CXXABI_1.3.14', 'GLIBCXX_3.4.32', 'GLIBC_2.38'])
})

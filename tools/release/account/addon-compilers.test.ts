import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compilerOf } from './addon-compilers.ts'

test('the compiler of a program is read from the line that compilers leave in it', () => {
  const gcc = 'GCC: (Debian 12.2.0-14+deb12u1) 12.2.0'
  assert.equal(compilerOf(Buffer.from(`\x7fELF\0.comment\0${gcc}\0\xff`, 'latin1')), gcc)
  assert.equal(compilerOf(Buffer.from('\0Debian clang version 14.0.6\0')), 'clang version 14.0.6')
})

test('a program that names no compiler ends a release', () => {
  assert.throws(() => compilerOf(Buffer.from('\x7fELF GCC: ()')), /names no compiler/)
})

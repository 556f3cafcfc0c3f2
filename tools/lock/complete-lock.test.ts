import assert from 'node:assert/strict'
import { test } from 'node:test'
import { completeLock } from './complete-lock.ts'

const owner = {
  version: '2.0.0',
  dev: true,
  optionalDependencies: {
    '@tool/cli-linux-x64': '2.0.0',
    '@tool/cli-linux-arm64-musl': '2.0.0',
    '@tool/cli-darwin-arm64': '2.0.0',
    'plain-thing': '1.0.0',
    'other-linux-x64': '^1.0.0',
  },
}
const lock = {
  '': { version: '0.0.0' },
  'node_modules/@tool/cli': owner,
  'node_modules/@tool/cli-linux-x64': { version: '2.0.0', optional: true },
}

test('a binary of another platform that the lock lacks gets an entry that no other platform installs', () => {
  const completed = completeLock(lock)
  assert.deepEqual(completed['node_modules/@tool/cli-darwin-arm64'], {
    version: '2.0.0',
    optional: true,
    dev: true,
    cpu: ['arm64'],
    os: ['darwin'],
  })
  assert.deepEqual(completed['node_modules/@tool/cli-linux-arm64-musl']?.libc, ['musl'])
})

test('existing entries of the lock stay unchanged, and only platform binaries of the same version are added', () => {
  const completed = completeLock(lock)
  assert.equal(completed['node_modules/@tool/cli-linux-x64'], lock['node_modules/@tool/cli-linux-x64'])
  assert.equal(completed['node_modules/plain-thing'], undefined)
  assert.equal(completed['node_modules/other-linux-x64'], undefined)
})

test('a complete lock stays the same, entry order included', () => {
  const once = completeLock(lock)
  assert.equal(JSON.stringify(completeLock(once)), JSON.stringify(once))
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { productionPackages } from './production-packages.ts'

const lock = {
  '': { version: '0' },
  app: { dependencies: { '@our/conf': '1', a: '1', '@types/node': '1' } },
  conf: { dependencies: { c: '1' } },
  test: { dependencies: { only: '1' } },
  'node_modules/@our/conf': { link: true },
  'node_modules/@types/node': {},
  'node_modules/a': { dependencies: { b: '2' }, optionalDependencies: { gone: '1' }, peerDependencies: { p: '1' } },
  'node_modules/a/node_modules/b': { dependencies: { c: '1' } },
  'node_modules/b': {},
  'node_modules/c': { dependencies: { a: '1' } },
  'node_modules/only': {},
  'node_modules/p': {},
}

test('dependencies are resolved as by Node, including nested and circular dependencies', () => {
  assert.deepEqual(productionPackages(lock, ['app', 'conf']), [
    'node_modules/a',
    'node_modules/a/node_modules/b',
    'node_modules/c',
    'node_modules/p',
  ])
})

test('a dependency that the lock lacks is an error that names both', () => {
  assert.throws(() => productionPackages({ app: { dependencies: { x: '1' } } }, ['app']), /no x for app/)
})

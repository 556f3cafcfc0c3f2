import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  BUNDLED_WORKSPACES,
  isAppFile,
  isDependencyFile,
  isNotice,
  isRunDependency,
  isRunSource,
  OMITTED_WORKSPACES,
  PACKAGES,
} from './contents.ts'

test('every workspace is in the image or left out by name', () => {
  const { workspaces } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'))
  assert.deepEqual([...PACKAGES, ...BUNDLED_WORKSPACES, ...OMITTED_WORKSPACES].toSorted(), workspaces.toSorted())
})

const APP: readonly (readonly [path: string, isRead: boolean])[] = [
  ['package.json', true],
  ['src/main.ts', false],
  ['tsconfig.json', false],
  ['gl_config.json', true],
  ['gl_config.schema.json', true],
  ['nats-server.conf', true],
  ['README.md', false],
  ['generate.ts', false],
  ['.env', false],
  ['secret.json', false],
  ['examples/processors/gl_config.json', false],
]

test('of our packages only files that programs read are in the image unchanged', () => {
  for (const [path, isRead] of APP) assert.equal(isAppFile(path), isRead, path)
})

const SOURCES: readonly (readonly [path: string, runs: boolean])[] = [
  ['src/main.ts', true],
  ['src/http/body.ts', true],
  ['src/http/body.test.ts', false],
  ['src/context-under-test.ts', false],
  ['src/fixture/main.ts', false],
  ['src/translate/testdata/in.ts', false],
  ['src/testdata/in.ts', false],
  ['src/notes.md', false],
  ['src/.env', false],
  ['src/json/generate.ts', false],
  ['src/json/web-assembly.d.ts', false],
  ['src/journal-logger-under-test.ts', false],
  ['generate.ts', false],
]

test('of our packages only code that runs is bundled', () => {
  for (const [path, runs] of SOURCES) assert.equal(isRunSource(path), runs, path)
})

const DEPENDENCY: readonly (readonly [path: string, runs: boolean])[] = [
  ['package.json', true],
  ['index.js', true],
  ['dist/doc/Document.js', true],
  ['dist/index.cjs', true],
  ['lib/llhttp/llhttp.wasm', true],
  ['build/Release/re2.node', false],
  ['LICENSE', true],
  ['LICENSE.md', true],
  ['lib/NOTICE.txt', false],
  ['README.md', false],
  ['index.d.ts', false],
  ['index.js.map', false],
  ['src/index.ts', false],
  ['test/index.js', false],
  ['docs/index.js', false],
  ['dist/config_test.js', false],
  ['dist/config.test.mjs', false],
  ['.github/run.js', false],
  ['.env', false],
  ['tsconfig.build.json', false],
  ['vendor/re2/re2.cc', false],
]

test('the image has the licence and the scanners’ files of a bundled package', () => {
  const notices = DEPENDENCY.filter(([path]) => isNotice(path)).map(([path]) => path)
  assert.deepEqual(notices, ['package.json', 'LICENSE', 'LICENSE.md'])
})

test('the image has only the code and the licence of a third-party package', () => {
  for (const [path, runs] of DEPENDENCY) assert.equal(isDependencyFile(path), runs, path)
})

test('types and the installer of re2 are no dependencies at run time', () => {
  for (const name of ['@types/node', 'undici-types', 'node-gyp', 'nan', 'bare-fs'])
    assert.equal(isRunDependency(name), false, name)
  for (const name of ['undici', 're2', '@kubernetes/client-node']) assert.equal(isRunDependency(name), true, name)
})

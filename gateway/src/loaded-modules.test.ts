import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'

const PROGRAM = new URL('program.ts', import.meta.url).href
/** Imports the gateway's program, and prints the paths of undici's modules in it and in Node. */
const SCRIPT = `
import { createRequire } from 'node:module'
await import('${PROGRAM}')
const packages = Object.keys(createRequire(import.meta.url).cache)
console.log([...process.moduleLoadList, ...packages].filter((name) => name.includes('undici')).join('\\n'))`

test('the gateway loads undici without fetch, caches and mocks, and not the copy of undici in Node', async () => {
  const run = await promisify(execFile)(process.execPath, ['--no-warnings', '--input-type=module', '-e', SCRIPT])
  const modules = run.stdout.trim().split('\n')
  assert.ok(modules.some((name) => name.endsWith('undici/lib/dispatcher/client.js')))
  const unneeded = /internal\/deps\/undici|undici\/lib\/(web|cache|mock|interceptor)\//
  assert.deepEqual(
    modules.filter((name) => unneeded.test(name)),
    [],
  )
})

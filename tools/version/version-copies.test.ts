import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { versionCopies } from './version-copies.ts'

const ROOT = join(import.meta.dirname, '../..')
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')
const { version } = JSON.parse(read('package.json'))

test('every file that repeats the version has the version of package.json', () => {
  const wrong = [...versionCopies(ROOT, version)].filter(([file, text]) => read(file) !== text).map(([file]) => file)
  assert.deepEqual(wrong, [], '`make generate` writes them')
})

for (const program of ['gateway/src/main.ts', 'operator/src/main.ts', 'processors/tokenizer/src/main.ts'])
  test(`${program} --version prints the version of package.json`, () => {
    const printed = execFileSync(process.execPath, [join(ROOT, program), '--version'], { encoding: 'utf8' })
    assert.equal(printed, `${version}\n`)
  })

test('another version is written into each of these files', () => {
  const copies = versionCopies(ROOT, '77.8.9')
  assert.ok(copies.size > 25)
  for (const [file, text] of copies) {
    assert.ok(text.includes('77.8.9'), file)
    assert.notEqual(text, read(file), file)
  }
})

test('a package depends on our other packages in the same version, and on third-party packages as before', () => {
  const sdk = JSON.parse(versionCopies(ROOT, '77.8.9').get('processors/sdk/package.json') ?? '')
  const before = JSON.parse(read('processors/sdk/package.json'))
  assert.deepEqual([sdk.version, sdk.dependencies['@llm-gateway/conf']], ['77.8.9', '77.8.9'])
  assert.equal(sdk.dependencies.zod, before.dependencies.zod)
  const lock = JSON.parse(versionCopies(ROOT, '77.8.9').get('package-lock.json') ?? '').packages
  assert.deepEqual(
    [lock[''].version, lock.gateway.version, lock.gateway.dependencies['@llm-gateway/conf']],
    ['77.8.9', '77.8.9', '77.8.9'],
  )
  assert.equal(lock['node_modules/zod'].version, before.dependencies.zod)
})

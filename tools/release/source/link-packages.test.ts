import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { buildPrograms } from '../../image/bundle/build-programs.ts'
import { bundlePlan } from '../../image/bundle/bundle-plan.ts'
import { cloneUnderTest } from '../clone-under-test.ts'
import { linkPackages } from './link-packages.ts'

const scratch = mkdtempSync(join(tmpdir(), 'link-packages-'))
const [root, copy] = [join(scratch, 'root'), join(scratch, 'copy')]
const CHECKOUT = join(import.meta.dirname, '../../..')
const WEB = 'gateway/gui/web'
after(() => rmSync(scratch, { recursive: true }))

test('a copy uses the packages of the checkout, except our own packages, caches and stamps, which are its own', () => {
  for (const folder of ['.tools', 'ours', 'node_modules/@llm-gateway', `${WEB}/node_modules/vite`])
    mkdirSync(join(root, folder), { recursive: true })
  for (const folder of ['ours', WEB]) mkdirSync(join(copy, folder), { recursive: true })
  symlinkSync('../../ours', join(root, 'node_modules/@llm-gateway/ours'))
  for (const name of ['.lock-sha256', '.page-sha256', 'vite/index.js'])
    writeFileSync(join(root, WEB, 'node_modules', name), 'of the checkout')
  writeFileSync(join(copy, 'ours/index.js'), 'of the copy')
  writeFileSync(join(root, 'package-lock.json'), '{ "packages": {} }')

  linkPackages(root, copy)
  const read = (path: string): string => readFileSync(join(copy, path), 'utf8')
  assert.equal(read('node_modules/@llm-gateway/ours/index.js'), 'of the copy')
  for (const name of ['.lock-sha256', 'vite/index.js'])
    assert.equal(read(`${WEB}/node_modules/${name}`), 'of the checkout')
  assert.ok(!existsSync(join(copy, WEB, 'node_modules/.page-sha256')))
  writeFileSync(join(copy, WEB, 'node_modules/.page-sha256'), 'of the copy')
  assert.equal(readFileSync(join(root, WEB, 'node_modules/.page-sha256'), 'utf8'), 'of the checkout')
  assert.ok(!existsSync(join(copy, 'docs')))
})

test('a copy at another path gives the same bundles of programs, which name no folder outside of it', async () => {
  const clone = join(scratch, 'another place')
  cloneUnderTest({ root: CHECKOUT, folder: clone, files: new Map() })
  const [here, there] = [
    await buildPrograms(CHECKOUT, bundlePlan(CHECKOUT)),
    await buildPrograms(clone, bundlePlan(clone)),
  ]
  assert.ok(here.length > 30)
  assert.deepEqual(
    there.map(({ name }) => name),
    here.map(({ name }) => name),
  )
  for (const [index, { name, content }] of here.entries()) assert.ok(there[index]?.content.equals(content), name)
  const operators = [CHECKOUT, clone].map((folder, index) => {
    const file = join(scratch, `operator-${index}.mjs`)
    execFileSync(process.execPath, [join(folder, 'operator/bundle/main.ts'), file])
    return readFileSync(file, 'utf8')
  })
  assert.equal(operators[1], operators[0])
  assert.doesNotMatch(operators[1] ?? '', /"\.\.\/[^"]*node_modules/)
})

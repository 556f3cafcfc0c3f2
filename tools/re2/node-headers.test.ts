import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { findNodeHeaders } from './build-re2.ts'

const VERSION = '#define NODE_MAJOR_VERSION 24\n#define NODE_MINOR_VERSION 21\n#define NODE_PATCH_VERSION 0\n'
const COMPLETE = ['node.h', 'v8.h', 'common.gypi', 'config.gypi']

const CASES = [
  { name: 'the headers beside a binary of their version', files: COMPLETE, version: 'v24.21.0', found: true },
  { name: 'no headers of another version', files: COMPLETE, version: 'v24.21.1', found: false },
  {
    name: 'no headers without the settings node-gyp reads',
    files: COMPLETE.slice(0, 3),
    version: 'v24.21.0',
    found: false,
  },
] as const

for (const { name, files, version, found } of CASES) {
  test(`a build finds ${name}, through a link to the binary too`, (context) => {
    const folder = mkdtempSync(join(tmpdir(), 're2-headers-'))
    context.after(() => rmSync(folder, { recursive: true, force: true }))
    const home = join(folder, 'home')
    for (const path of ['home/bin', 'home/include/node', 'elsewhere'])
      mkdirSync(join(folder, path), { recursive: true })
    writeFileSync(join(home, 'include/node/node_version.h'), VERSION)
    for (const file of files) writeFileSync(join(home, 'include/node', file), '')
    writeFileSync(join(home, 'bin/node'), '')
    symlinkSync(join(home, 'bin/node'), join(folder, 'elsewhere/node'))
    assert.equal(findNodeHeaders(join(home, 'bin/node'), version), found ? home : undefined)
    assert.equal(findNodeHeaders(join(folder, 'elsewhere/node'), version), found ? home : undefined)
  })
}

test('a build finds no headers where a Node comes without them', (context) => {
  const folder = mkdtempSync(join(tmpdir(), 're2-headers-'))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'bin'))
  writeFileSync(join(folder, 'bin/node'), '')
  assert.equal(findNodeHeaders(join(folder, 'bin/node'), 'v24.21.0'), undefined)
})

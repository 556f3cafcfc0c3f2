import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, suite, test } from 'node:test'
import { findProgram } from './find-program.ts'
import { getJemalloc } from './get-jemalloc.ts'

const hasApt = findProgram('apt-get', process.env.PATH ?? '') !== undefined

suite('jemalloc for the checkout', { skip: process.platform !== 'linux' && 'it is preloaded on Linux only' }, () => {
  let tools = ''
  let lines: string[] = []
  beforeEach(() => {
    tools = mkdtempSync(join(tmpdir(), 'jemalloc-tools-'))
    lines = []
  })
  afterEach(() => rmSync(tools, { recursive: true }))
  const get = (environment = process.env) => getJemalloc({ tools, environment, say: (line) => void lines.push(line) })
  const link = () => join(tools, 'lib/libjemalloc.so.2')

  test("is Debian's library, and is not fetched twice", { skip: !hasApt && 'apt-get fetches it' }, async () => {
    await get()
    assert.ok(existsSync(link()))
    await get()
    assert.deepEqual(lines, ["tools: jemalloc from Debian's package"])
  })

  test('is missing with a reason where it cannot be had', async () => {
    await get({ PATH: '' })
    assert.ok(!existsSync(link()))
    assert.match(lines.join('\n'), /^tools: no jemalloc, so that the gateway takes more memory: apt-get: .*ENOENT/)
  })

  test('is left out when the loader refuses it', async () => {
    const bin = join(tools, 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'apt-get'), '#!/bin/sh\n: > jemalloc.deb\n', { mode: 0o755 })
    const unpack = '#!/bin/sh\nmkdir -p "$3/usr/lib/here"\necho broken > "$3/usr/lib/here/libjemalloc.so.2"\n'
    writeFileSync(join(bin, 'dpkg-deb'), unpack, { mode: 0o755 })
    await get({ PATH: `${bin}:${process.env.PATH}` })
    assert.ok(!existsSync(link()))
    assert.match(lines.join('\n'), /^tools: no jemalloc, .*ld\.so/s)
  })
})

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { stripElf } from './strip-elf.ts'

const program = '.tools/bin/nats-server'
const root = join(import.meta.dirname, '../..')

test('a stripped program is smaller and runs', { skip: process.platform !== 'linux' && 'an ELF runs on Linux' }, () => {
  const whole = readFileSync(join(root, program))
  const stripped = stripElf(whole)
  assert.ok(stripped.length < whole.length)
  const folder = mkdtempSync(join(tmpdir(), 'strip-'))
  try {
    writeFileSync(join(folder, 'program'), stripped, { mode: 0o755 })
    assert.match(execFileSync(join(folder, 'program'), ['--version'], { encoding: 'utf8' }), /nats-server/)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('stripping twice equals stripping once, and the input stays unchanged', () => {
  const whole = readFileSync(join(root, program))
  const before = Buffer.from(whole)
  const stripped = stripElf(whole)
  assert.ok(stripElf(stripped).equals(stripped))
  assert.ok(whole.equals(before))
})

test('a file that is no program is returned unchanged', () => {
  for (const content of [Buffer.alloc(0), Buffer.from('#!/bin/sh\n'), Buffer.from('\x7fELF\x01\x01')])
    assert.equal(stripElf(content), content)
})

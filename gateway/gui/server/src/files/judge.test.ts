import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { judge } from './judge.ts'

const PROGRAMS = [
  { says: 'accepts the file', script: 'test "$(cat "$0")" = text', expected: { kind: 'good' } },
  {
    says: 'refuses the file',
    script: 'exit 1',
    expected: { kind: 'bad', message: 'The program of tokenizer says that it would not start with this file.' },
  },
  {
    says: 'was killed',
    script: 'kill -KILL $$',
    expected: { kind: 'bad', message: 'The program of tokenizer could not be asked (SIGKILL).' },
  },
] as const

for (const { says, script, expected } of PROGRAMS) {
  test(`the verdict on a file whose program ${says} is "${expected.kind}", and the copy is removed`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'judge-'))
    try {
      const file = {
        name: 'gl_config.json',
        kind: 'json',
        live: join(folder, 'gl_config.json'),
        service: 'tokenizer',
        takesEffect: 'service_restart',
        judge: (path: string) => ({ program: '/bin/sh', args: ['-c', script, path] }),
      } as const
      const { PATH = '' } = process.env
      assert.deepEqual(await judge(file, 'text', { folder, environment: { PATH } }), expected)
      assert.deepEqual(readdirSync(folder), [])
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
}

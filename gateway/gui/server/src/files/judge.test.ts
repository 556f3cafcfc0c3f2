import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { NATS_SERVER_BINARY } from '@llm-gateway/test/fake/nats-server'
import { temporaryFolder } from '@llm-gateway/test/fake/temporary-folder'
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

for (const token of ['123456', 'true', '4k', '# x', 'plain']) {
  test(`nats-server.conf is judged with the token ${token} as the supervisor gives it to the bus`, async () => {
    await using folder = await temporaryFolder()
    const file = {
      name: 'nats-server.conf',
      kind: 'nats',
      live: join(folder.path, 'nats-server.conf'),
      service: 'nats-server',
      takesEffect: 'service_restart',
      judge: (path: string) => ({ program: NATS_SERVER_BINARY, args: ['-c', path, '-t'] }),
    } as const
    const text = 'listen: "127.0.0.1:-1"\nauthorization { token: $NATS_TOKEN }\n'
    const place = { folder: folder.path, environment: { NATS_TOKEN: token } }
    assert.deepEqual(await judge(file, text, place), { kind: 'good' })
    assert.equal((await judge(file, `${text}authorization {`, place)).kind, 'bad')
  })
}

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { folderWith, type ProgramStart, startTestProcessor } from './program-under-test.ts'

type Case = readonly [
  name: string,
  file: string | Uint8Array,
  environment: NonNullable<ProgramStart['environment']>,
  line: RegExp,
]

const STARTS: readonly Case[] = [
  ['an empty file', '{}', {}, /"rate":1,"loud":false,"pools":\[\]/],
  [
    'a file',
    '{"rate":2,"loud":true,"pools":[{"router":"/a/"}]}',
    {},
    /"rate":2,"loud":true,"pools":\[\{"router":"\/a\/"\}/,
  ],
  ['a gzip file', gzipSync('{"rate":3}'), {}, /"rate":3/],
  ['texts from references', '{"rate":"${N}","loud":"$L"}', { N: '0.25', L: 'yes' }, /"rate":0\.25,"loud":true/],
  ['variables, which override the file', '{"rate":2,"loud":true}', { RATE: '5', LOUD: 'off' }, /"rate":5,"loud":false/],
  ['empty variables, which are ignored', '{"rate":2}', { RATE: '', LOUD: '' }, /"rate":2,"loud":false/],
  ['variables over a wrong file', '{"rate":"x"}', { RATE: '5' }, /"rate":5/],
  [
    'unknown keys',
    '{"stray":1}',
    {},
    /"level":"WARN".*"unknown_keys":\["test_config\.stray"\].*configuration has unknown keys/,
  ],
  ['a log level', '{"log_level":"INFO","version":"1.0.0","$schema":"x"}', {}, /"msg":"closed"/],
]

const REFUSED: readonly Case[] = [
  ['invalid JSON', '{', {}, /"file":".*test\.json","validation_errors":\{"test_config":"json: line 1, column 2"\}/],
  ['a list', '[]', {}, /"validation_errors":\{"test_config":"type:object"\}/],
  ['a wrong setting', '{"rate":-1}', {}, /"file":".*test\.json","validation_errors":\{"test_config\.rate":"min:0"\}/],
  ['a nested setting', '{"pools":[{}]}', {}, /"validation_errors":\{"test_config\.pools\[0\]\.router":"required:"\}/],
  ['an unset reference', '{"rate":"${NONE}"}', {}, /"test_config\.rate":"required:"/],
  [
    'a wrong variable',
    '{}',
    { RATE: 'planted-secret' },
    /"variables":\["RATE"\],"validation_errors":\{"test_config\.rate":"type:number"\}/,
  ],
  ['a wrong level', '{"log_level":"planted-secret"}', {}, /"test_config\.log_level":"oneof:DEBUG INFO WARN ERROR"/],
  [
    'settings that the processor refuses',
    '{"key":"refused"}',
    {},
    /"validation_errors":\{"test_config\.pools\[0\]\.router":"router:"\}/,
  ],
  [
    'a processor that fails',
    '{"key":"broken"}',
    {},
    /"level":"ERROR".*"name":"TypeError","at":"main\.ts:\d+","msg":"processor could not start"/,
  ],
  [
    'an invalid address in the file',
    '{"service_bus":{"hostname":"user:planted-secret@bus"}}',
    {},
    /"test_config\.service_bus\.hostname":"address:"/,
  ],
  ['an invalid address in a variable', '{}', { GATEWAY_HOST: 'planted-secret:99999' }, /"GATEWAY_HOST":"address:"/],
  ['an invalid port', '{}', { PROCESSOR_PORT: '70000' }, /"PROCESSOR_PORT":"port:"/],
  ['an invalid subject', '{}', { PROCESSOR_SUBJECT: 'llm.>' }, /"PROCESSOR_SUBJECT":"subject:"/],
  ['an invalid prefix', '{}', { BUS_PREFIX: 'a b' }, /"BUS_PREFIX":"subject:"/],
  [
    'a SECRETS_DIR that does not exist',
    '{}',
    { SECRETS_DIR: '/no/such/folder' },
    /"test_config":"SECRETS_DIR_NOT_READABLE"/,
  ],
]

for (const { cases, code } of [
  { cases: STARTS, code: 0 },
  { cases: REFUSED, code: 1 },
]) {
  for (const [name, file, environment, line] of cases) {
    test(`--validate ends with ${code}: ${name}`, async (context) => {
      const output = await runValidation(context, { file, environment, code })
      assert.match(output, line)
      assert.doesNotMatch(output, /planted-secret/)
    })
  }
}

test('a missing file is named', async () => {
  await using program = await startTestProcessor({ args: ['-o', '/no/such/test.json'] })
  assert.equal((await program.exited).code, 1)
  const line = /"file":"\/no\/such\/test\.json","validation_errors":\{"test_config":"FILE_NOT_READABLE"\}/
  assert.match(program.lines.entries.join('\n'), line)
})

test('the file of the command line overrides PROCESSOR_CONFIG, and both are optional', async (context) => {
  const folder = await folderWith(context, { 'one.json': '{"rate":11}', 'other.json': '{"rate":12}' })
  const environment = { PROCESSOR_CONFIG: join(folder, 'one.json') }
  for (const [start, rate] of [
    [{ args: ['--validate', '-o', join(folder, 'other.json')], environment }, 12],
    [{ args: ['--validate'], environment }, 11],
    [{ args: ['--validate'] }, 1],
  ] as const) {
    await using program = await startTestProcessor(start)
    assert.equal((await program.exited).code, 0)
    assert.match(program.lines.entries.join('\n'), new RegExp(`"rate":${rate},`))
  }
})

test('--version prints the version, and an unknown option prints the usage', async () => {
  for (const [args, code, output] of [
    [['--version'], 0, '1.2.3'],
    [['--wrong'], 1, 'usage: [-o FILE] [--validate] | --version'],
  ] as const) {
    await using program = await startTestProcessor({ args })
    assert.equal((await program.exited).code, code)
    assert.equal((await program.lines.waitForCount(1))[0], output)
  }
})

type Validation = Pick<ProgramStart, 'environment'> & { readonly file: string | Uint8Array; readonly code: number }

/** Validates a file and returns the program's output. */
async function runValidation(context: TestContext, { file, environment = {}, code }: Validation): Promise<string> {
  const folder = await folderWith(context, { 'test.json': file })
  const args = ['--validate', '-o', join(folder, 'test.json')]
  await using program = await startTestProcessor({ args, environment })
  const exit = await program.exited
  await program.lines.waitForCount(1)
  assert.equal(exit.code, code, program.lines.entries.join('\n'))
  return program.lines.entries.join('\n')
}

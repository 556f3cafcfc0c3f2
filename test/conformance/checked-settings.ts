import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { it } from 'node:test'
import { type Program, startProgram } from '../fake/program.ts'
import type { InstalledSdk } from './installed-sdk.ts'

type Sdk = () => { readonly installed: InstalledSdk; readonly path: string | undefined }
type Environment = Readonly<Record<string, string>>
type Refusal = readonly [title: string, file: object | string, reasons: Environment, environment?: Environment]

const LEVELS = 'oneof:DEBUG INFO WARN ERROR'

/** Files with wrong settings and the reason for each setting, by its path below `limited_config`. */
const REFUSED: readonly Refusal[] = [
  ['a text as TLS', { service_bus: { tls: 'yes' } }, { '.service_bus.tls': 'type:object' }],
  ['true as TLS', { service_bus: { tls: true } }, { '.service_bus.tls': 'type:object' }],
  ['null as TLS', { service_bus: { tls: null } }, { '.service_bus.tls': 'type:object' }],
  [
    'wrong TLS files, although variables override them',
    { service_bus: { tls: { ca_file: 7, cert_file: null, key_file: '' } } },
    { '.service_bus.tls.ca_file': 'type:string', '.service_bus.tls.cert_file': 'type:string' },
    { NATS_CA_FILE: '/ca.pem' },
  ],
  ['a text as bus', { service_bus: 'bus:4222' }, { '.service_bus': 'type:object' }],
  ['null as bus', { service_bus: null }, { '.service_bus': 'type:object' }],
  [
    'values of the bus with a wrong type',
    { service_bus: { hostname: 7, token: null, topic: [] } },
    {
      '.service_bus.hostname': 'type:string',
      '.service_bus.token': 'type:string',
      '.service_bus.topic': 'type:string',
    },
  ],
  [
    'values of the bus with a wrong form, although a variable overrides one',
    { service_bus: { hostname: 'a b', topic: '', topic_exact_isalive: '', topic_exact_logger: 'a.*' } },
    {
      '.service_bus.hostname': 'address:',
      '.service_bus.topic': 'subject:',
      '.service_bus.topic_exact_logger': 'subject:',
    },
    { GATEWAY_HOST: 'localhost' },
  ],
  ['a wrong level and version', { log_level: 'loud', version: '1' }, { '.log_level': LEVELS, '.version': 'semver:' }],
  [
    'a level and a version of a wrong type',
    { log_level: [], version: 1 },
    { '.log_level': LEVELS, '.version': 'type:string' },
  ],
  [
    'unset references',
    { rate: '${UNSET}', loud: '$UNSET', log_level: '${UNSET}' },
    { '.rate': 'required:', '.loud': 'required:', '.log_level': 'required:' },
  ],
  [
    'null',
    { rate: null, loud: null, label: null },
    { '.rate': 'type:number', '.loud': 'type:boolean', '.label': 'type:string' },
  ],
  [
    'values of a wrong type',
    { rate: true, loud: 1, label: 7 },
    { '.rate': 'type:number', '.loud': 'type:boolean', '.label': 'type:string' },
  ],
  ['a number that is too small', { rate: -1 }, { '.rate': 'min:0' }],
  ['a number that is too large', { rate: '10.5' }, { '.rate': 'max:10' }],
  ...['ten', '1_0', 'nan', '1e999', ' '].map(
    (rate): Refusal => [`"${rate}" as a number`, { rate }, { '.rate': 'type:number' }],
  ),
  ['a number of 400 digits', `{"rate":1${'0'.repeat(400)}}`, { '.rate': 'type:number' }],
  ['a wrong variable over a right file', { rate: 1 }, { '.rate': 'type:number' }, { RATE: 'x' }],
  ['a list', '[]', { '': 'type:object' }],
  ['broken JSON', '{', { '': 'json: line 1, column 2' }],
  ['65 nested lists', `{"rate":${'['.repeat(64)}${']'.repeat(64)}}`, { '': 'depth:' }],
]

/** Registers the tests that a program refuses wrong settings, with reasons that are the same in all languages. */
export function checksSettings(sdk: Sdk): void {
  for (const [title, file, reasons, environment] of REFUSED) {
    it(`refuses a settings file with ${title}`, async () => {
      await using program = await validate(sdk, file, environment)
      assert.equal((await program.exited).code, 1)
      const [line, ...rest] = program.lines.entries
      assert.deepEqual(rest, [])
      const { level, msg, validation_errors } = JSON.parse(line ?? '')
      assert.deepEqual([level, msg], ['ERROR', 'configuration file validation failed'])
      const expected = Object.entries(reasons).map(([path, reason]) => [`limited_config${path}`, reason])
      assert.deepEqual(validation_errors, Object.fromEntries(expected))
    })
  }

  it('accepts texts as numbers and booleans, and names unknown keys', async () => {
    const bus = { hostname: 'bus:4222', token: '', tls: { ca_file: '', odd: 1 }, strange: 1 }
    const file = {
      rate: ' 2 ',
      loud: ' NO ',
      label: '${UNSET}',
      service_bus: bus,
      stray: 1,
      $schema: 's',
      version: '1.0.0',
    }
    await using program = await validate(sdk, file)
    assert.equal((await program.exited).code, 0, program.lines.entries.join('\n'))
    const lines = program.lines.entries.map((line) => JSON.parse(line))
    const unknown = ['limited_config.service_bus.tls.odd', 'limited_config.service_bus.strange', 'limited_config.stray']
    assert.deepEqual(lines.find(({ msg }) => msg === 'configuration has unknown keys')?.unknown_keys, unknown)
    assert.deepEqual(lines.find(({ msg }) => msg === 'created')?.settings, [2, false, ''])
  })
}

async function validate(sdk: Sdk, file: object | string, environment: Environment = {}): Promise<Program> {
  const { installed, path } = sdk()
  const written = join(installed.folder, 'limited.json')
  await writeFile(written, typeof file === 'string' ? file : JSON.stringify(file))
  const args = [installed.limited, '--validate', '-o', written]
  return await startProgram({ ...installed, args, environment: { PATH: path, ...environment } })
}

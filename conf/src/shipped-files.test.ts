import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { checkGinitConfig, checkGuiConfig, checkSinkConfig, checkTokenCounterConfig } from './check-file.ts'
import { checkGlConfig } from './check-gl-config.ts'

// Rules: docs/reference/configuration-rules.md#default-routers,
// docs/reference/configuration-rules.md#files-of-the-other-programs,
// docs/reference/configuration-rules.md#tls-of-the-bus

const folder = join(import.meta.dirname, '..')
const environment = { NATS_TOKEN: 'token', GUI_SECRET: 'secret' }
const read = (name: string) => readFile(join(folder, name))

test('with AISERVICE_API_BASE unset only /echo/ of the shipped gl_config.json is active', async () => {
  const verdict = checkGlConfig(await read('gl_config.json'), { environment })
  assert.ok(verdict.kind === 'checked')
  const { routers, rejectedFields, unknownKeys } = verdict.config
  assert.deepEqual(
    routers.map(({ path, kind }) => [path, kind]),
    [
      ['/echo/', 'active'],
      ['/service/standard/', 'rejected'],
      ['/service/capped/', 'rejected'],
      ['/restricted/', 'rejected'],
    ],
  )
  assert.deepEqual(rejectedFields, {
    'gl_config.Routers[1].Router.Outbound.Url': 'required:',
    'gl_config.Routers[2].Router.Outbound.Url': 'required:',
    'gl_config.Routers[3].Router.Ingress.Headers[Api-Key][0]': 'required:',
    'gl_config.Routers[3].Router.Outbound.Url': 'required:',
    'gl_config.Routers[3].Router.Outbound.Headers[Api-Key][0]': 'required:',
  })
  assert.deepEqual(unknownKeys, [])
})

test('with every environment variable set each default router is active', async () => {
  const all = { AISERVICE_API_BASE: 'https://res.example', AISERVICE_API_KEY: 'real', GATEWAY_API_KEY: 'own' }
  const verdict = checkGlConfig(await read('gl_config.json'), { environment: { ...environment, ...all } })
  assert.ok(verdict.kind === 'checked')
  assert.deepEqual(
    verdict.config.routers.map(({ kind }) => kind),
    ['active', 'active', 'active', 'active'],
  )
  assert.deepEqual(verdict.config.rejectedFields, {})
})

const shipped = [
  ['gl_config.json', checkGlConfig, '{}'],
  ['nats2log_config.json', checkSinkConfig, '{}'],
  ['nats2file_config.json', checkSinkConfig, '{"mode":"file_writer","file_writer":{}}'],
  ['tokencounter_config.json', checkTokenCounterConfig, '{}'],
] as const
for (const [name, check, smallest] of shipped) {
  test(`the shipped ${name} has the schema's defaults`, async () => {
    const [own, defaults] = [check(await read(name), { environment }), check(Buffer.from(smallest), { environment })]
    assert.ok(own.kind === 'checked' && defaults.kind === 'checked')
    assert.deepEqual(withoutHashes(own.config), withoutHashes(defaults.config))
    assert.deepEqual('unknownKeys' in own ? own.unknownKeys : [], [])
  })
}

/** Removes the hashes, which differ for an entry with a written default. */
function withoutHashes(config: object): unknown {
  return JSON.parse(JSON.stringify(config, (key, value: unknown) => (key === 'entryHash' ? undefined : value)))
}

test('the supervisor starts the bus first, then the gateway, the sinks and the token counter; nothing waits for the web interface', async () => {
  const verdict = checkGinitConfig(await read('ginit_config.json'), { environment })
  assert.ok(verdict.kind === 'checked')
  const { services, max_starts } = verdict.config
  assert.equal(max_starts, 2)
  assert.deepEqual(
    services.map(({ name, healthy_output }) => [name, healthy_output]),
    [
      ['nats-server', 'Server is ready'],
      ['gl', 'http(s) server initialized'],
      ['nats2file', 'sink initialized'],
      ['nats2log', 'sink initialized'],
      ['tokencounter', 'processor initialized'],
      ['gui', ''],
    ],
  )
  assert.deepEqual(
    services.map(({ disable_config_file_monitoring: unwatched }) => unwatched),
    [false, true, false, false, false, false],
  )
  assert.deepEqual(
    services.flatMap(({ name, optional }) => (optional ? [name] : [])),
    ['nats2log', 'tokencounter', 'gui'],
  )
})

test('the web interface edits the six files beside its own', async () => {
  const verdict = checkGuiConfig(await read('gui_config.json'), { environment })
  assert.ok(verdict.kind === 'checked')
  const { gui_port, secret, failed_authentication_limit, services } = verdict.config
  assert.deepEqual([gui_port, secret, failed_authentication_limit], [8080, 'secret', 5])
  const files = services.map(({ configuration_file }) => configuration_file.replace('./app/conf/', ''))
  assert.deepEqual(files.toSorted(), [
    'ginit_config.json',
    'gl_config.json',
    'nats-server.conf',
    'nats2file_config.json',
    'nats2log_config.json',
    'tokencounter_config.json',
  ])
  for (const file of files) await read(file)
})

const natsServer = join(folder, '../.tools/bin/nats-server')

/** Returns the output of `nats-server -t` for a configuration. */
async function verdictOfBus(text: string, variables: Readonly<Record<string, string>>): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'conf-bus-'))
  try {
    const file = join(directory, 'nats-server.conf')
    await writeFile(file, text)
    const ended = promisify(execFile)(natsServer, ['-t', '-c', file], { cwd: directory, env: variables })
    return (await ended).stderr
  } finally {
    await rm(directory, { recursive: true })
  }
}

test('the bus accepts the shipped nats-server.conf, and not without its token', async () => {
  const text = (await read('nats-server.conf')).toString()
  assert.match(await verdictOfBus(text, { NATS_TOKEN: 't' }), /is valid/)
  await assert.rejects(verdictOfBus(text, {}), /NATS_TOKEN/)
})

test('the bus accepts messages of 32 MB, and its max_pending is not smaller', async () => {
  for (const name of ['nats-server.conf', 'nats-server-tls.conf']) {
    const limits = (await read(name)).toString().match(/^max_.*$/gm)
    assert.deepEqual(limits, ['max_payload: 32MB', 'max_pending: 256MB'])
  }
})

test('the bus accepts the commented users once they are uncommented', async () => {
  const text = (await read('nats-server.conf'))
    .toString()
    .replace(/^authorization \{[^}]*\}$/m, '')
    .replace(/^# authorization[\s\S]*?^# \}$/m, (users) => users.replace(/^# ?/gm, ''))
  for (const user of ['gateway', 'processors', 'sinks', 'readers'])
    assert.match(text, new RegExp(`^    \\{ user: "${user}"`, 'm'))
  const names = ['GATEWAY', 'PROCESSORS', 'SINKS', 'READERS']
  const variables = Object.fromEntries(names.map((name) => [`${name}_BUS_PASSWORD`, 'a']))
  assert.match(await verdictOfBus(text, variables), /is valid/)
})

test('both servers of a bus with TLS accept their leaf-node settings', async () => {
  const [inner, outer] = (await Promise.all([read('nats-server.conf'), read('nats-server-tls.conf')])).map(String)
  const taken = inner?.replace('0.0.0.0:4222', '127.0.0.1:4223').replace(/^# leafnodes/m, 'leafnodes') ?? ''
  assert.match(taken, /^leafnodes/m)
  assert.match(await verdictOfBus(taken, { NATS_TOKEN: 't', BUS_LEAF_PASSWORD: 'p' }), /is valid/)
  assert.match(taken, /^ {2}domain: "bus"$/m)
  assert.match(outer ?? '', /^ {2}"\$JS\.API\.>": "\$JS\.bus\.API\.>"$/m)
  const plain = outer?.replace(/^tls \{[^}]*\}$/m, '') ?? ''
  const variables = { NATS_TOKEN: 't', BUS_LEAF_URL: '"nats://leaf:p@127.0.0.1:7422"' }
  assert.match(await verdictOfBus(plain, variables), /is valid/)
})

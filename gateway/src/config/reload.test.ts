import assert from 'node:assert/strict'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { ConfigInvalidError } from './reload.ts'
import { type ReloadUnderTest, reloadUnderTest, type Start, swapVolume, text } from './reload-under-test.ts'

// Rules: docs/reference/configuration-rules.md#reload, docs/reference/configuration-rules.md#rejection

const reference = (name: string): string => `\${${name}}`
const router = (path: string, value = 'v'): object => ({
  path,
  ingress: { headers: { 'Api-Key': [value] } },
  outbound: { url: 'https://llm.example/planted-path', endpoint: '', headers: { 'Api-Key': [value] } },
})
const config = (serial: number, ...routers: readonly object[]): object => ({ version: `1.0.${serial}`, routers })
const version = (reload: ReloadUnderTest): string => reload.live.current.settings.version
const messages = (reload: ReloadUnderTest, level: string): string[] =>
  reload.lines.entries.filter((line) => line.level === level).map((line) => line.msg)

const changes: readonly { readonly what: string; change(reload: ReloadUnderTest): Promise<void> }[] = [
  { what: 'an edit in place', change: ({ file }) => writeFile(file, text(config(2))) },
  {
    what: 'an atomic rename',
    change: async ({ directory, file }) => {
      await writeFile(join(directory, 'next'), text(config(2)))
      await rename(join(directory, 'next'), file)
    },
  },
  {
    what: 'a swap of ..data',
    change: ({ directory }) => swapVolume(directory, '..2', { 'gl_config.json': text(config(2)) }),
  },
  {
    what: 'a directory removed and created again',
    change: async ({ directory, file }) => {
      await rm(directory, { recursive: true })
      await mkdir(directory)
      await writeFile(file, text(config(2)))
    },
  },
]

test('closing does not wait for a reload that hangs', { timeout: 60_000 }, async () => {
  const hanging = Promise.withResolvers<never>()
  let compiled = 0
  await using reload = await reloadUnderTest({
    config: config(1),
    timings: { closeMs: 1 },
    compile: async (checked) => {
      compiled += 1
      return compiled === 1 ? checked : await hanging.promise
    },
  })
  await writeFile(reload.file, text(config(2)))
  const checked = reload.check()
  while (compiled < 2) await setImmediate()
  assert.equal(await reload.close(), false)
  assert.equal(version(reload), '1.0.1')
  hanging.reject(new Error('the share is back'))
  await checked
})

for (const { what, change } of changes) {
  test(`${what} goes live`, async () => {
    await using reload = await reloadUnderTest({ config: config(1), timings: { retryMs: 5_000 } })
    const pinned = reload.live.current
    await change(reload)
    await reload.states.waitForCount(2)
    assert.equal(version(reload), '1.0.2')
    assert.equal(pinned.settings.version, '1.0.1')
    assert.equal(reload.state.reload.result, 'ok')
    assert.deepEqual(messages(reload, 'ERROR'), [])
  })
}

test('an entry that is required and async is named in a warning', async () => {
  const entry = (name: string, fields: object): object => ({
    name,
    service_bus_topic: 'a.b',
    timeout: 1_000,
    ...fields,
  })
  const processors = [
    [entry('both', { required: true, async: true }), entry('neither', {})],
    [entry('waits', { required: true })],
    [entry('async', { async: true })],
  ]
  await using reload = await reloadUnderTest({ config: { ...config(1), request: { processors } } })
  const warnings = reload.lines.entries.filter(({ level }) => level === 'WARN')
  assert.deepEqual(
    warnings.map(({ msg, fields }) => [msg, fields.processors]),
    [['required has no effect on async processors', ['both']]],
  )
})

test('a changed value causes a reload only if it is referenced', async () => {
  const start: Start = { config: config(1, router('/a/', reference('KEY'))), secrets: { KEY: 'one\n', REVISION: '41' } }
  await using reload = await reloadUnderTest(start)
  assert.equal(reload.state.valuesRevision, '41')
  const value = (): unknown =>
    reload.live.current.routers.map((each) => each.kind === 'active' && each.ingressHeaders[0]?.values)[0]
  assert.deepEqual(value(), ['one'])
  await writeFile(join(reload.secretsDir, 'OTHER'), 'x')
  await writeFile(join(reload.secretsDir, 'REVISION'), '42')
  await reload.check()
  assert.equal(reload.state.valuesRevision, '42')
  assert.equal(reload.states.total, 1)
  await writeFile(join(reload.secretsDir, 'KEY'), 'two')
  await reload.states.waitForCount(2)
  assert.deepEqual(value(), ['two'])
})

test('a value that is empty for a moment rejects no router', async () => {
  const timings = { settleMs: 10_000 }
  const start: Start = { config: config(1, router('/a/', reference('KEY'))), secrets: { KEY: 'one' }, timings }
  await using reload = await reloadUnderTest(start)
  await writeFile(join(reload.secretsDir, 'KEY'), '')
  await reload.check()
  await reload.check()
  assert.equal(reload.live.current.routers[0]?.kind, 'active')
  await writeFile(join(reload.secretsDir, 'KEY'), 'two')
  await reload.states.waitForCount(2)
  assert.deepEqual(reload.state.rejectedFields, {})
})

test('a broken file is logged once per content, the running configuration stays, and restoring the file reloads nothing', async () => {
  await using reload = await reloadUnderTest({ config: config(1) })
  const broken = ['{', '{"gl_port":"many"}', '{"routers":1}']
  for (const [index, content] of broken.entries()) {
    await writeFile(reload.file, content)
    await reload.states.waitForCount(index + 2)
    for (let again = 0; again < 3; again++) await reload.check()
  }
  assert.equal(version(reload), '1.0.1')
  assert.deepEqual([reload.state.reload.result, reload.state.reload.reason], ['failed', 'INVALID'])
  assert.deepEqual(
    messages(reload, 'ERROR'),
    broken.map(() => 'configuration file validation failed'),
  )
  for (const { level, fields } of reload.lines.entries) {
    if (level === 'ERROR') assert.equal(Object.keys(Object(fields.validation_errors)).length, 1)
  }
  const states = reload.states.total
  await writeFile(reload.file, text(config(1)))
  while (reload.state.reload.result !== 'ok') await reload.check()
  assert.equal(reload.states.total, states)
  assert.equal(reload.state.reload.reason, '')
  for (let again = 0; again < 3; again++) await reload.check()
  const { digest } = reload.state
  assert.deepEqual(
    reload.lines.entries.filter(({ msg }) => msg === 'configuration file matches the running configuration again'),
    [
      {
        level: 'INFO',
        msg: 'configuration file matches the running configuration again',
        fields: { digest, values_revision: undefined },
      },
    ],
  )
  assert.equal(reload.lines.entries.at(-1)?.msg, 'configuration file matches the running configuration again')
})

test('a missing file is logged once, and so is its return', async () => {
  await using reload = await reloadUnderTest({ config: config(1) })
  await rm(reload.file)
  await reload.states.waitForCount(2)
  assert.deepEqual([reload.state.reload.result, reload.state.reload.reason], ['failed', 'FILE_NOT_READABLE'])
  for (let again = 0; again < 3; again++) await reload.check()
  assert.deepEqual(messages(reload, 'ERROR'), ['configuration file validation failed'])
  await writeFile(reload.file, text(config(2)))
  await reload.states.waitForCount(3)
  assert.equal(version(reload), '1.0.2')
})

test('at the start a broken or missing file rejects with its validation errors', async () => {
  await assert.rejects(reloadUnderTest({ config: '{' }), (error) => {
    return error instanceof ConfigInvalidError && Object.keys(error.validationErrors).join() === 'gl_config'
  })
  await assert.rejects(reloadUnderTest({ config: { gl_port: 'many' } }), (error) => {
    return error instanceof ConfigInvalidError && Object.keys(error.validationErrors).join() === 'gl_config.gl_port'
  })
})

test('rejected fields and added routers are logged, and no value of a header or url', async () => {
  const routers = [router('/a/', reference('KEY')), router('/b/', reference('UNSET')), router('/c/', 'planted-plain')]
  await using reload = await reloadUnderTest({ config: config(1, ...routers), environment: { KEY: 'planted-key' } })
  const [rejected] = reload.lines.entries
  assert.deepEqual(rejected, {
    level: 'WARN',
    msg: 'configuration has rejected fields',
    fields: {
      rejected_fields: {
        'gl_config.Routers[1].Router.Ingress.Headers[Api-Key][0]': 'required:',
        'gl_config.Routers[1].Router.Outbound.Headers[Api-Key][0]': 'required:',
      },
    },
  })
  const added = reload.lines.entries
    .filter((line) => line.msg === 'adding router')
    .map((line) => Object(line.fields.router).path)
  assert.deepEqual(added, ['/a/', '/c/', '/echo/'])
  assert.deepEqual(reload.state.routers, { active: 3, rejected: 1, disabled: 0, internal: 0 })
  assert.deepEqual([...reload.state.entries.keys()], ['/a/', '/b/', '/c/', '/echo/'])
  assert.equal(JSON.stringify([reload.lines.entries, reload.state]).includes('planted'), false)

  const before = reload.lines.total
  await writeFile(
    reload.file,
    text(config(2, ...routers, { ...router('/d/'), internal: true }, { path: '/e/', disabled: true })),
  )
  await reload.states.waitForCount(2)
  const lines = reload.lines.entries.slice(before).map(({ level, msg }) => `${level} ${msg}`)
  assert.deepEqual(lines, [
    'WARN configuration has rejected fields',
    'INFO adding router',
    'INFO configuration reloaded',
  ])
  assert.deepEqual(reload.state.routers, { active: 3, rejected: 1, disabled: 1, internal: 1 })
})

test('every rejected field is logged, in lines that fit into a pipe', async () => {
  const broken = Array.from({ length: 250 }, (_, index) => router(`/${index}/`, reference('UNSET')))
  await using reload = await reloadUnderTest({ config: config(1, ...broken) })
  const lines = reload.lines.entries.filter(({ msg }) => msg === 'configuration has rejected fields')
  for (const { fields } of lines) assert.ok(JSON.stringify(fields).length <= 16 * 1024)
  const fieldNames = lines.flatMap(({ fields }) => Object.keys(Object(fields.rejected_fields)))
  assert.deepEqual(
    fieldNames,
    broken.flatMap((_, index) =>
      ['Ingress', 'Outbound'].map((side) => `gl_config.Routers[${index}].Router.${side}.Headers[Api-Key][0]`),
    ),
  )
})

test('only changed settings that need a restart are logged', async () => {
  await using reload = await reloadUnderTest({ config: { ...config(1), gl_port: 5380 } })
  const next = {
    ...config(2),
    gl_port: 5381,
    log_unauthorized: true,
    service_bus: { token: 'planted' },
    tls: { ingress: { enabled: true } },
    limits: { request_bytes: 1, header_bytes: 1 },
  }
  await writeFile(reload.file, text(next))
  await reload.states.waitForCount(2)
  const line = reload.lines.entries.find(({ msg }) => msg === 'configuration changes need a restart')
  const fields = ['gl_port', 'tls.ingress.enabled', 'service_bus.token', 'limits.header_bytes']
  assert.deepEqual(line?.fields, { fields })
  assert.equal(reload.settings.gl_port, 5380)
  assert.equal(reload.live.current.settings.log_unauthorized, true)
})

test('a compile that throws keeps the running configuration', async () => {
  const compile: Start['compile'] = async (checked) => {
    if (checked.settings.version === '1.0.2') throw new Error('planted-message')
    return checked
  }
  await using reload = await reloadUnderTest({ config: config(1), compile })
  await writeFile(reload.file, text(config(2)))
  await reload.states.waitForCount(2)
  assert.deepEqual(
    [version(reload), reload.state.reload.result, reload.state.reload.reason],
    ['1.0.1', 'failed', 'INTERNAL'],
  )
  assert.equal(JSON.stringify(reload.lines.entries).includes('planted'), false)
  await writeFile(reload.file, text(config(3)))
  await reload.states.waitForCount(3)
  assert.equal(version(reload), '1.0.3')
})

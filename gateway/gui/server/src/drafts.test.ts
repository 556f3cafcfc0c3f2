import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { endpoints, MASKED } from '@llm-gateway/gui-api'
import { LITERAL_KEY, type Scene, startScene } from './fixture/interface-scene.ts'

const GL = '/api/v1/files/gl_config.json'

const read = async (scene: Scene, path = GL) => endpoints.file.answer.parse((await scene.script('GET', path)).json)
const edit = (scene: Scene, tag: string, edits: readonly object[], path = GL) =>
  scene.script('PUT', `${path}/draft`, { tag, edits })
const save = (scene: Scene, tag: string, text: string, path = GL) => scene.script('PUT', `${path}/draft`, { tag, text })
const deploy = (scene: Scene, tag: string, path = GL) => scene.script('POST', `${path}/deploy`, { tag })
const onDisk = async (scene: Scene, name = 'gl_config.json') => JSON.parse(await readFile(scene.live(name), 'utf8'))

/** Reads the draft's file on disk, which holds the secrets. */
async function draftOnDisk(scene: Scene, name = 'gl_config.json') {
  const kept = JSON.parse(await readFile(scene.live(`working/${name}.draft.json`), 'utf8'))
  return JSON.parse(kept.draft)
}

test('a literal key of the file is masked, and stays when its mask is saved at the same place', async () => {
  await using scene = await startScene()
  const file = await read(scene)
  assert.deepEqual(file.masked, [
    ['routers', 0, 'ingress', 'headers', 'Api-Key', 0],
    ['routers', 0, 'outbound', 'headers', 'Api-Key', 0],
  ])
  assert.ok(file.text.includes('${GATEWAY_API_KEY}'), 'references are shown')
  const routers = JSON.parse(file.text).routers
  const [keyed, restricted, standard] = routers
  // The router moves behind a second router, and a third router is removed.
  const text = JSON.stringify(
    { ...JSON.parse(file.text), routers: [restricted, { ...keyed, disabled: true }] },
    null,
    2,
  )
  const saved = await save(scene, file.tag, text)
  assert.equal(saved.status, 200, saved.text)
  const draft = await draftOnDisk(scene)
  assert.deepEqual(draft.routers[1].outbound.headers, { 'Api-Key': [LITERAL_KEY] })
  // The router is renamed in its place.
  const renamed = JSON.stringify({
    ...JSON.parse(file.text),
    routers: [{ ...keyed, path: '/renamed/' }, restricted, standard],
  })
  assert.equal(
    (await save(scene, saved.json.tag, renamed)).json.error?.code,
    'MASKED_NOWHERE',
    'another number of routers',
  )
  const whole = await save(
    scene,
    saved.json.tag,
    JSON.stringify({ ...JSON.parse(text), routers: [restricted, { ...keyed, path: '/renamed/' }] }),
  )
  assert.equal(whole.status, 200, whole.text)
  assert.deepEqual((await draftOnDisk(scene)).routers[1].ingress.headers, { 'Api-Key': [LITERAL_KEY] })
})

test('a router that takes the position of another router does not get its key', async () => {
  await using scene = await startScene()
  const file = await read(scene)
  const json = JSON.parse(file.text)
  const thief = { path: '/thief/', outbound: { url: 'https://thief.example', headers: { 'Api-Key': [MASKED] } } }
  for (const routers of [[thief, ...json.routers], [...json.routers, thief], [thief]]) {
    const refused = await save(scene, file.tag, JSON.stringify({ ...json, routers }))
    assert.equal(refused.json.error.code, 'MASKED_NOWHERE')
  }
})

test('an edit changes single values and leaves the formatting of the rest', async () => {
  await using scene = await startScene()
  const before = await readFile(scene.live('gl_config.json'), 'utf8')
  const file = await read(scene)
  const from = ['routers', 0]
  const [keyed] = JSON.parse(file.text).routers
  const copied = await edit(scene, file.tag, [
    { op: 'insert', path: ['routers', 3], value: { ...keyed, path: '/copy/' }, copied_from: from },
    { op: 'set', path: ['limits', 'drain_ms'], value: 1000 },
    { op: 'move', path: ['routers', 3], to: 0 },
    { op: 'remove', path: ['routers', 2] },
  ])
  assert.equal(copied.status, 200, copied.text)
  const draft = await draftOnDisk(scene)
  assert.deepEqual(
    draft.routers.map(({ path }: { path: string }) => path),
    ['/copy/', '/keyed/', '/standard/'],
  )
  assert.deepEqual(draft.routers[0].outbound.headers, { 'Api-Key': [LITERAL_KEY] })
  assert.equal(draft.limits.drain_ms, 1000)
  const back = await edit(scene, copied.json.tag, [
    { op: 'remove', path: ['routers', 0] },
    { op: 'insert', path: ['routers', 1], value: JSON.parse(before).routers[1] },
    { op: 'remove', path: ['limits'] },
  ])
  assert.equal(back.json.draft, null, 'a text equal to the live text is no draft')
})

for (const [what, edits] of [
  ['a path that leads nowhere', [{ op: 'set', path: ['routers', 0, 'path', 'x'], value: 1 }]],
  ['an index beyond the end', [{ op: 'insert', path: ['routers', 99], value: {} }]],
  ['the root', [{ op: 'set', path: [], value: {} }]],
  ['no value', [{ op: 'set', path: ['log_level'] }]],
  ['an unknown operation', [{ op: 'exec', path: ['log_level'] }]],
  ['a deep path', [{ op: 'set', path: Array.from({ length: 100 }, () => 'x'), value: 1 }]],
] as const) {
  test(`an edit with ${what} is refused`, async () => {
    await using scene = await startScene()
    const { tag } = await read(scene)
    assert.equal((await edit(scene, tag, edits)).json.error.code, 'BAD_REQUEST')
  })
}

test('prototype pollution: __proto__ and constructor are ordinary keys', async () => {
  await using scene = await startScene()
  const { tag } = await read(scene)
  await edit(scene, tag, [
    { op: 'set', path: ['__proto__', 'polluted'], value: 'yes' },
    { op: 'set', path: ['constructor', 'prototype', 'polluted'], value: 'yes' },
  ])
  await save(scene, tag, '{"__proto__":{"polluted":"yes"},"routers":[{"path":"/x/","__proto__":{"polluted":"yes"}}]}')
  const raw = '{"tag":"","edits":[{"op":"set","path":["a"],"value":{"__proto__":{"polluted":"yes"}}}]}'
  const headers = { authorization: 'Bearer gui-secret-5c2f81' }
  assert.equal((await scene.ask({ method: 'PUT', path: `${GL}/draft`, raw, headers })).status, 400)
  assert.equal(Object('polluted').polluted, undefined)
  assert.equal(Reflect.get({}, 'polluted'), undefined)
})

test('the check of each field uses the gateway’s environment', async () => {
  await using scene = await startScene({ environment: { GENERATED_SECRETS: 'NATS_TOKEN' } })
  const { tag } = await read(scene)
  const saved = await edit(scene, tag, [
    { op: 'set', path: ['routers', 2, 'outbound', 'url'], value: '${NOT_SET}' },
    { op: 'set', path: ['routers', 1, 'path'], value: 'no slash' },
    { op: 'set', path: ['routers', 0, 'outbound', 'url'], value: '' },
    { op: 'set', path: ['service_bus'], value: { token: '${NATS_TOKEN}' } },
    { op: 'set', path: ['note'], value: '${NO_FILE}' },
  ])
  const { result, fields, variables } = endpoints.check.answer.parse(saved.json.check)
  assert.equal(result, 'partly')
  const found = fields.map(({ path, state, reason, unset }) => [path.join('.'), state, reason, unset.join()])
  assert.deepEqual(found, [
    ['routers.0.outbound.url', 'required', 'required:', ''],
    ['routers.1.path', 'invalid', 'router:', ''],
    ['routers.2.outbound.url', 'required', 'required:', 'NOT_SET'],
    ['note', 'missing', 'unset:', 'NO_FILE'],
  ])
  const states = Object.fromEntries(variables.map(({ name, state }) => [name, state]))
  assert.deepEqual([states.NATS_TOKEN, states.AISERVICE_API_KEY, states.NOT_SET], ['generated', 'set', 'unset'])
  const refused = await deploy(scene, saved.json.tag)
  assert.equal(refused.json.error.code, 'NOT_VALID')
  assert.ok(refused.json.error.check.fields.length > 0)
  assert.equal((await onDisk(scene)).routers[1].path, '/restricted/')
})

test('a reference that would reveal the password or the bus’s token is refused', async () => {
  await using scene = await startScene()
  const path = '/api/v1/files/nats2log_config.json'
  const { tag } = await read(scene, path)
  const value = { url: 'https://thief.example', headers: { 'X-Stolen': '${GUI_SECRET}', 'X-Too': 'a ${NATS_TOKEN}' } }
  const saved = await edit(scene, tag, [{ op: 'set', path: ['rest_api_writer'], value }], path)
  assert.equal(saved.json.check.result, 'invalid')
  assert.deepEqual(
    saved.json.check.fields.map(({ reason }: { reason: string }) => reason),
    ['reserved:', 'reserved:'],
  )
  assert.equal((await deploy(scene, saved.json.tag, path)).json.error.code, 'NOT_VALID')
})

const service = { name: 'shell', file: '/bin/sh', configuration_file: '/etc/passwd', config_command: '-c' }
for (const [name, edits] of [
  ['ginit_config.json', [{ op: 'insert', path: ['services', 0], value: service }]],
  ['ginit_config.json', [{ op: 'set', path: ['services', 1, 'file'], value: '/bin/sh' }]],
  ['ginit_config.json', [{ op: 'set', path: ['services', 1, 'additional_arguments'], value: ['--inspect'] }]],
  ['ginit_config.json', [{ op: 'set', path: ['services', 1, 'validate_command'], value: '-x' }]],
  ['ginit_config.json', [{ op: 'remove', path: ['services', 0] }]],
  ['gui_config.json', [{ op: 'set', path: ['services', 0, 'file'], value: '/bin/sh' }]],
  ['gui_config.json', [{ op: 'set', path: ['working_directory'], value: '/etc' }]],
  ['gui_config.json', [{ op: 'set', path: ['secret'], value: 'mine' }]],
  ['gl_config.json', [{ op: 'set', path: ['spool', 'directory'], value: '/etc' }]],
  ['gl_config.json', [{ op: 'set', path: ['admin_host'], value: '0.0.0.0' }]],
  ['gui_config.json', [{ op: 'set', path: ['service_bus', 'hostname'], value: 'elsewhere:4222' }]],
  ['tokencounter_config.json', [{ op: 'set', path: ['service_bus', 'hostname'], value: 'elsewhere:4222' }]],
  ['nats2log_config.json', [{ op: 'set', path: ['service_bus', 'tls'], value: { enabled: false } }]],
  ['nats2log_config.json', [{ op: 'set', path: ['admin_host'], value: '10.0.0.1' }]],
  ['nats2file_config.json', [{ op: 'set', path: ['service_bus'], value: { hostname: 'elsewhere:4222' } }]],
  ['nats2file_config.json', [{ op: 'set', path: ['file_writer', 'filename'], value: '/root/.bashrc' }]],
] as const) {
  test(`the password gives no shell: ${name} ${JSON.stringify(edits[0])} is read-only here`, async () => {
    await using scene = await startScene()
    const path = `/api/v1/files/${name}`
    const { tag } = await read(scene, path)
    assert.equal((await edit(scene, tag, edits, path)).json.error.code, 'READ_ONLY')
  })
}

test('nats-server.conf is edited as text, with masked secrets and read-only file paths', async () => {
  await using scene = await startScene()
  const path = '/api/v1/files/nats-server.conf'
  const live = await readFile(scene.live('nats-server.conf'), 'utf8')
  await writeFile(
    scene.live('nats-server.conf'),
    `${live}\naccounts { A { users: [{ user: a, password: ${LITERAL_KEY} }] } }\n`,
  )
  const { tag, text } = await read(scene, path)
  assert.ok(text.includes('$NATS_TOKEN'))
  const saved = await save(scene, tag, text.replace('max_pending:', '# changed\nmax_pending:'), path)
  assert.equal(saved.status, 200, saved.text)
  const kept = JSON.parse(await readFile(scene.live('working/nats-server.conf.draft.json'), 'utf8'))
  assert.ok(kept.draft.includes(`password: ${LITERAL_KEY}`))
  for (const line of [
    'log_file: "/etc/cron.d/x"',
    'include /etc/passwd',
    'server { pid_file=/root/x }',
    'jetstream { store_dir: /etc }',
  ])
    assert.equal(
      (await save(scene, saved.json.tag, `${saved.json.text}\n${line}\n`, path)).json.error.code,
      'READ_ONLY',
      line,
    )
})

test('a person who saves a draft that another person changed gets both texts, and nothing is overwritten', async () => {
  await using scene = await startScene()
  const { tag, text } = await read(scene)
  const first = await edit(scene, tag, [{ op: 'set', path: ['log_level'], value: 'DEBUG' }])
  const second = await save(scene, tag, text.replace('"admin_port"', '"log_level": "WARN",\n  "admin_port"'))
  assert.equal(second.status, 409)
  const { conflict } = second.json.error
  assert.equal(conflict.kind, 'draft')
  assert.equal(conflict.theirs.digest, first.json.tag)
  assert.ok(conflict.yours.text.includes('WARN'))
  assert.equal((await draftOnDisk(scene)).log_level, 'DEBUG')
  assert.equal((await deploy(scene, tag)).json.error.code, 'CONFLICT')
  assert.equal((await scene.script('DELETE', `${GL}/draft?tag=${tag}`)).json.error.code, 'CONFLICT')
})

test('a live file changed after the draft began is a conflict with three texts, and a merged text is deployed', async () => {
  await using scene = await startScene({ gateway: true })
  const { tag, text } = await read(scene)
  const saved = await edit(scene, tag, [{ op: 'set', path: ['log_level'], value: 'WARN' }])
  // Another person changes a different setting and the key on the machine itself.
  const other = JSON.parse(JSON.stringify(await onDisk(scene)).replaceAll(LITERAL_KEY, `${LITERAL_KEY}-2`))
  await writeFile(scene.live('gl_config.json'), JSON.stringify({ ...other, log_unauthorized: true }, null, 2))
  const refused = await deploy(scene, saved.json.tag)
  assert.equal(refused.status, 409, refused.text)
  const { conflict } = refused.json.error
  assert.equal(conflict.kind, 'live')
  assert.equal(conflict.base.text, text)
  assert.ok(conflict.theirs.text.includes('log_unauthorized'))
  assert.ok(conflict.yours.text.includes('WARN'))
  assert.equal((await onDisk(scene)).log_unauthorized, true)
  const merged = JSON.stringify({ ...JSON.parse(conflict.theirs.text), log_level: 'WARN' }, null, 2)
  const taken = await scene.script('PUT', `${GL}/draft`, {
    tag: saved.json.tag,
    text: merged,
    base: conflict.theirs.digest,
  })
  assert.equal(taken.status, 200, taken.text)
  const done = await deploy(scene, taken.json.tag)
  assert.equal(done.json.result, 'live', done.text)
  const live = await onDisk(scene)
  assert.deepEqual([live.log_level, live.log_unauthorized], ['WARN', true])
  assert.deepEqual(live.routers[0].outbound.headers, { 'Api-Key': [`${LITERAL_KEY}-2`] })
})

test('a draft survives a restart, and only the draft and the archive are written', async () => {
  await using scene = await startScene()
  const before = await readdir(scene.folder)
  const { tag } = await read(scene)
  const saved = await edit(scene, tag, [{ op: 'set', path: ['log_level'], value: 'WARN' }])
  await scene.restart()
  const file = await read(scene)
  assert.equal(file.tag, saved.json.tag)
  assert.equal(file.base?.digest, tag)
  assert.deepEqual(
    (await readdir(scene.folder)).filter((name) => !before.includes(name)),
    ['working'],
  )
  const gone = await scene.script('DELETE', `${GL}/draft?tag=${file.tag}`)
  assert.equal(gone.json.tag, tag)
  assert.deepEqual(await readdir(scene.live('working')), [])
})

for (const digest of [
  '../../gui_config.json',
  '..%2f..%2fgui_config.json',
  'sha256:..%2f..%2fgl_config.json',
  `sha256:${'A'.repeat(64)}`,
  'log.jsonl',
  `sha256:${'0'.repeat(64)}`,
]) {
  test(`path traversal: the archive has no version ${digest}`, async () => {
    await using scene = await startScene()
    const answer = await scene.script('GET', `${GL}/archive/${digest}`)
    assert.ok(['NOT_FOUND', 'BAD_REQUEST'].includes(answer.json.error.code), answer.text)
  })
}

test('a text that is no JSON, too deep or too large is not saved', async () => {
  await using scene = await startScene()
  const { tag } = await read(scene)
  for (const text of ['{', '', `{"a":${'['.repeat(1000)}${']'.repeat(1000)}}`, '{"a":"\\ud800'])
    assert.equal((await save(scene, tag, text)).json.error.code, 'BAD_REQUEST')
  const large = await save(scene, tag, `{"a":"${'x'.repeat(8 * 1024 * 1024)}"}`)
  assert.equal(large.json.error.code, 'BAD_REQUEST')
  assert.equal((await save(scene, tag, 'x'.repeat(25 * 1024 * 1024))).json.error.code, 'BODY_TOO_LARGE')
  assert.equal((await read(scene)).draft, null)
})

test('each JSON file has its schema for editors', async () => {
  await using scene = await startScene()
  const { files } = endpoints.files.answer.parse((await scene.script('GET', '/api/v1/files')).json)
  assert.equal(files.length, 7)
  for (const { name, kind } of files) {
    const schema = await scene.script('GET', `/api/v1/files/${name}/schema`)
    assert.equal(schema.status, kind === 'json' ? 200 : 404, name)
  }
})

const key = (number: number) => ({ 'Api-Key': [`${LITERAL_KEY}-${number}`] })
for (const { what, ours, theirs, kept } of [
  { what: 'only the draft changed', ours: 1, theirs: undefined, kept: 1 },
  { what: 'only somebody else changed', ours: undefined, theirs: 2, kept: 2 },
  { what: 'both changed to the same value', ours: 3, theirs: 3, kept: 3 },
  { what: 'both changed', ours: 1, theirs: 2, kept: undefined },
]) {
  test(`a merge keeps a key that ${what}${kept === undefined ? ' only where it is written out' : ''}`, async () => {
    await using scene = await startScene()
    const { tag } = await read(scene)
    const change = {
      op: 'set',
      path: ['routers', 0, 'outbound', 'headers'],
      value: ours === undefined ? undefined : key(ours),
    }
    const level = { op: 'set', path: ['log_level'], value: 'WARN' }
    const saved = await edit(scene, tag, ours === undefined ? [level] : [level, change])
    const live = await onDisk(scene)
    if (theirs !== undefined) live.routers[0].outbound.headers = key(theirs)
    await writeFile(scene.live('gl_config.json'), JSON.stringify({ ...live, log_unauthorized: true }))
    const file = await read(scene)
    assert.equal(file.draft?.conflict, true)
    const merged = JSON.stringify({ ...JSON.parse(file.text), log_unauthorized: true })
    const taken = await scene.script('PUT', `${GL}/draft`, {
      tag: saved.json.tag,
      text: merged,
      base: file.live?.digest,
    })
    if (kept === undefined) assert.equal(taken.json.error.code, 'MASKED_NOWHERE')
    else assert.deepEqual((await draftOnDisk(scene)).routers[0].outbound.headers, key(kept))
  })
}

test('a file that is no JSON has no routers and can be mended in the web interface', async () => {
  await using scene = await startScene()
  await writeFile(scene.live('gl_config.json'), '{"routers": [')
  const routers = await scene.script('GET', '/api/v1/routers')
  assert.deepEqual(
    routers.json.routers.map(({ path }: { path: string }) => path),
    ['/echo/'],
    routers.text,
  )
  const { tag } = await read(scene)
  assert.equal((await save(scene, tag, '{"routers":[]}')).status, 200)
})

test('the archive survives an incomplete line and a damaged version', async () => {
  await using scene = await startScene({ gateway: true })
  const { tag } = await read(scene)
  const level = (value: string) => [{ op: 'set', path: ['log_level'], value }]
  const saved = await edit(scene, tag, level('WARN'))
  assert.equal((await deploy(scene, saved.json.tag)).status, 200)
  const folder = scene.live('archive/gl_config.json')
  const log = `${folder}/log.jsonl`
  await writeFile(log, (await readFile(log, 'utf8')).slice(0, -20))
  for (const name of await readdir(folder)) if (name !== 'log.jsonl') await writeFile(`${folder}/${name}`, '{"torn":')
  const next = await edit(scene, saved.json.tag, level('ERROR'))
  assert.equal((await deploy(scene, next.json.tag)).status, 200)
  const { entries } = endpoints.archive.answer.parse((await scene.script('GET', `${GL}/archive`)).json)
  assert.deepEqual(
    entries.map(({ digest }) => digest),
    [next.json.tag, saved.json.tag, tag],
  )
  assert.equal((await scene.script('GET', `${GL}/archive/${saved.json.tag}`)).status, 200)
})

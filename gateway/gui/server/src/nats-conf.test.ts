import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { endpoints, MASKED } from '@llm-gateway/gui-api'
import { LITERAL_KEY, type Scene, startScene } from './fixture/interface-scene.ts'

const PATH = '/api/v1/files/nats-server.conf'

const read = async (scene: Scene) => endpoints.file.answer.parse((await scene.script('GET', PATH)).json)
const save = (scene: Scene, tag: string, text: string) => scene.script('PUT', `${PATH}/draft`, { tag, text })
const draftOnDisk = async (scene: Scene): Promise<string> =>
  JSON.parse(await readFile(scene.live('working/nats-server.conf.draft.json'), 'utf8')).draft

// The scene fails if an answer contains the key.
for (const line of [
  `password: $2a$11$${LITERAL_KEY}`,
  `routes: ["nats://user:p$${LITERAL_KEY}@host:1"]`,
  `password: (\n ${LITERAL_KEY}\n)`,
  `password: "ab\\"${LITERAL_KEY}"`,
  `password: ab#${LITERAL_KEY}`,
  `jetstream { encryption_key: ${LITERAL_KEY} }`,
  `BUS: ${LITERAL_KEY}\nauthorization { token: $BUS }`,
  `accounts { A { users: [{user: a, "password" = '${LITERAL_KEY}'}, {user: b, pass: b${LITERAL_KEY}}] } }`,
  `# authorization { token: ${LITERAL_KEY} }`,
  `leafnodes { remotes = [{ url: "nats://${LITERAL_KEY}@host" }] }`,
]) {
  test(`nats-server.conf masks the secret of ${line.replaceAll(LITERAL_KEY, 'KEY')} and keeps it`, async () => {
    await using scene = await startScene()
    const live = `${await readFile(scene.live('nats-server.conf'), 'utf8')}\n${line}\n`
    await writeFile(scene.live('nats-server.conf'), live)
    const { tag, text } = await read(scene)
    assert.ok(text.includes('token: $NATS_TOKEN') && text.includes('One token trusts every client'), text)
    const saved = await save(scene, tag, `# mine\n${text}`)
    assert.equal(saved.status, 200, saved.text)
    assert.equal(await draftOnDisk(scene), `# mine\n${live}`)
  })
}

for (const line of [
  'server_name: "x #", log_file: "/etc/cron.d/x"',
  'server_name: "x //", log_file: "/etc/cron.d/x"',
  'jetstream { store: "/etc" }',
  'ocsp_cache { type: local, local_store: "/etc" }',
  'resolver { type: full, dir: "/etc" }',
  'server_name: (\n #\n); logfile /etc/x',
]) {
  test(`an edit of nats-server.conf can't change where the bus writes: ${line}`, async () => {
    await using scene = await startScene()
    const { tag, text } = await read(scene)
    assert.equal((await save(scene, tag, `${text}\n${line}\n`)).json.error.code, 'READ_ONLY')
    const inside = text.replace('store_dir: "./app/bus"', `store_dir: "./app/bus"\n${line}\n`)
    assert.equal((await save(scene, tag, inside)).json.error.code, 'READ_ONLY')
  })
}

for (const [what, line] of [
  ['a cluster', 'cluster { authorization { user: a, password: $NATS_TOKEN }, routes: ["nats://elsewhere:6222"] }'],
  [
    'a gateway',
    'gateway { name: a, authorization { token: $NATS_TOKEN }, gateways: [{ name: b, url: "nats://elsewhere" }] }',
  ],
  ['a leaf', 'leafnodes { remotes: [{ url: "nats://elsewhere" }] }'],
  ['a variable', 'MINE: $NATS_TOKEN'],
  ['a quoted key', '"routes" = ["nats://elsewhere"]'],
] as const) {
  test(`an edit of nats-server.conf can't send the token elsewhere: ${what}`, async () => {
    await using scene = await startScene()
    const { tag, text } = await read(scene)
    assert.equal((await save(scene, tag, `${text}\n${line}\n`)).json.error.code, 'READ_ONLY')
    // Without the comments none of their words counts as already present.
    const instead = text.replaceAll(/#.*\n/g, '')
    assert.equal((await save(scene, tag, `${instead}\n${line}\n`)).json.error.code, 'READ_ONLY')
  })
}

test('separate users replace the one token, as the comment in nats-server.conf says', async () => {
  await using scene = await startScene()
  const { tag, text } = await read(scene)
  const users = text.replace('token: $NATS_TOKEN', 'users: [{ user: "gateway", password: $GATEWAY_BUS_PASSWORD }]')
  assert.equal(
    (await save(scene, tag, users.replace('{ user: "gateway", password', '{ user: "a", password'))).status,
    200,
  )
})

test('a mask in nats-server.conf that is moved to a visible place is refused', async () => {
  await using scene = await startScene()
  const live = await readFile(scene.live('nats-server.conf'), 'utf8')
  await writeFile(scene.live('nats-server.conf'), live.replace('token: $NATS_TOKEN\n', `token: ${LITERAL_KEY}\n`))
  const { tag, text } = await read(scene)
  const moved = text.replace(`token: "${MASKED}"`, `timeout: 1 }\nserver_name: "${MASKED}"\nauthorization {`)
  assert.notEqual(moved, text)
  assert.equal((await save(scene, tag, moved)).json.error.code, 'MASKED_NOWHERE')
})

for (const [what, text] of [
  ['a key and spaces without end', `token${' '.repeat(2_000_000)}{`],
  ['empty lines without end', `${'\n'.repeat(2_000_000)}x`],
  ['a word for a file and spaces without end', `include${' '.repeat(2_000_000)}}`],
  ['brackets without end', '[{'.repeat(1_000_000)],
  ['quotes without end', '"a'.repeat(1_000_000)],
  ['blocks without end', 'a (\n'.repeat(500_000)],
  ['comments without end', '#token:\n'.repeat(200_000)],
] as const) {
  test(`nats-server.conf with ${what} is checked in linear time`, async () => {
    await using scene = await startScene()
    const { tag } = await read(scene)
    const answer = await scene.script('POST', `${PATH}/check`, { tag, text })
    assert.equal(answer.status, 200, answer.text.slice(0, 500))
    assert.ok([200, 403].includes((await save(scene, tag, text)).status))
  })
}

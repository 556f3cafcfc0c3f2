import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { endpoints, fileNameSchema } from '@llm-gateway/gui-api'
import { startProgram, waitForLine } from '@llm-gateway/test/fake/program'
import { type Scene, startScene } from './fixture/interface-scene.ts'

const GL = '/api/v1/files/gl_config.json'
const SESSION = '/api/v1/session'
const MIB = 1024 * 1024

const read = async (scene: Scene, path = GL) => endpoints.file.answer.parse((await scene.script('GET', path)).json)

test('a flood of connections shuts out neither logged-in people nor a login', async () => {
  await using scene = await startScene()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const headers = { authorization: 'Bearer gui-secret-5c2f81' }
  const status = async () => {
    const sent = request({ agent, host: '127.0.0.1', port: scene.port, path: '/api/v1/files', headers }).end()
    const [answer] = await once(sent, 'response')
    answer.resume()
    await once(answer, 'end')
    return [answer.statusCode, sent.reusedSocket]
  }
  assert.deepEqual(await status(), [200, false])
  const flood: Socket[] = []
  for (let wave = 0; wave < 10; wave += 1) {
    const sockets = Array.from({ length: 300 }, () => connect(scene.port, '127.0.0.1').on('error', () => undefined))
    flood.push(...sockets)
    await Promise.all(sockets.map((socket) => (socket.connecting ? once(socket, 'connect') : undefined)))
    assert.deepEqual(await status(), [200, true], 'the connection of a logged-in person stays open')
    assert.equal((await scene.ask({ path: SESSION })).status, 200, 'another connection is admitted')
  }
  for (const socket of flood) socket.destroy()
  agent.destroy()
})

test('restoring an earlier version can’t change read-only fields', async () => {
  await using scene = await startScene({ gateway: true })
  const path = '/api/v1/files/tokencounter_config.json'
  const live = await readFile(scene.live('tokencounter_config.json'), 'utf8')
  const elsewhere = JSON.stringify({ ...JSON.parse(live), admin_host: '0.0.0.0' })
  // The text was live once, and a person on the machine undid the change.
  await writeFile(scene.live('tokencounter_config.json'), elsewhere)
  const { tag } = await read(scene, path)
  const saved = await scene.script('PUT', `${path}/draft`, {
    tag,
    edits: [{ op: 'set', path: ['cap_period_seconds'], value: 60 }],
  })
  assert.equal((await scene.script('POST', `${path}/deploy`, { tag: saved.json.tag })).status, 200)
  await writeFile(scene.live('tokencounter_config.json'), live)
  const now = await read(scene, path)
  const { entries } = (await scene.script('GET', `${path}/archive`)).json
  assert.equal(entries.length, 2)
  for (const { digest } of entries) {
    const answer = await scene.script('POST', `${path}/archive/${digest}/restore`, { tag: now.tag })
    assert.equal(answer.json.error.code, 'READ_ONLY', answer.text.slice(0, 300))
  }
})

const MOMENT_MS = 60_000

async function until(isNow: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + MOMENT_MS
  while (!(await isNow())) {
    assert.ok(performance.now() < end, `not within ${MOMENT_MS} ms`)
    await delay(1)
  }
}

/** Replaces the program that checks gl_config.json: it waits until `release` is called or its copy is removed. */
async function holdChecks(scene: Scene): Promise<{ release(): Promise<void> }> {
  const [program, go] = [join(scene.folder, 'held-check'), join(scene.folder, 'go')]
  await writeFile(program, `#!/bin/sh\nwhile [ -e "$2" ] && [ ! -e '${go}' ]; do sleep 0.05; done\n`, { mode: 0o755 })
  const { services, ...config } = JSON.parse(await readFile(scene.live('gui_config.json'), 'utf8'))
  const held = services.map((service: { readonly name: string }) =>
    service.name === 'gl' ? { ...service, file: program } : service,
  )
  await writeFile(scene.live('gui_config.json'), JSON.stringify({ ...config, services: held }))
  await scene.restart()
  return { release: () => writeFile(go, '') }
}

const isJudged = async (scene: Scene): Promise<boolean> =>
  (await readdir(scene.live('working'))).some((name) => name.startsWith('.check-'))

test('a live file that changes while a draft is checked is kept, and so is the draft', async () => {
  await using scene = await startScene()
  const checks = await holdChecks(scene)
  const { tag } = await read(scene)
  const saved = await scene.script('PUT', `${GL}/draft`, {
    tag,
    edits: [{ op: 'set', path: ['log_level'], value: 'WARN' }],
  })
  const theirs = (await readFile(scene.live('gl_config.json'), 'utf8')).replace('{', '{ "theirs": 1,')
  const deploying = scene.script('POST', `${GL}/deploy`, { tag: saved.json.tag })
  // The judged copy exists after the deploy has read the live file and before it writes.
  await until(() => isJudged(scene))
  await writeFile(scene.live('gl_config.json'), theirs)
  await checks.release()
  const answer = await deploying
  assert.equal(answer.json.error.code, 'CONFLICT', answer.text.slice(0, 300))
  assert.equal(await readFile(scene.live('gl_config.json'), 'utf8'), theirs)
  assert.equal((await read(scene)).draft?.conflict, true)
})

/** Steps of a deploy, recognized by files on the disk. */
const KILL_MOMENTS: readonly (readonly [string, (scene: Scene, before: string) => Promise<boolean>])[] = [
  ['judged', isJudged],
  ['written', async (scene, before) => (await readFile(scene.live('gl_config.json'), 'utf8')) !== before],
]

test('a kill in the middle of a deploy leaves a complete file, and the draft if it was not deployed', async () => {
  await using scene = await startScene()
  const checks = await holdChecks(scene)
  for (const [moment, isNow] of KILL_MOMENTS) {
    const before = await readFile(scene.live('gl_config.json'), 'utf8')
    await using program = await startProgram({
      command: process.execPath,
      args: [join(import.meta.dirname, 'main.ts'), '-o', scene.live('gui_config.json')],
      environment: { GUI_SECRET: 'gui-secret-5c2f81', PATH: process.env.PATH },
    })
    const port = JSON.parse(await waitForLine(program, /"web interface initialized"/, 60_000)).port
    const ask = async (method: string, path: string, body?: object) =>
      await fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        headers: { authorization: 'Bearer gui-secret-5c2f81', 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
    const { tag } = endpoints.file.answer.parse(await (await ask('GET', GL)).json())
    const edits = [{ op: 'set', path: ['note'], value: moment }]
    const saved = endpoints.file.answer.parse(await (await ask('PUT', `${GL}/draft`, { tag, edits })).json())
    const deploying = ask('POST', `${GL}/deploy`, { tag: saved.tag }).catch(() => undefined)
    if (moment === 'written') await checks.release()
    await until(() => isNow(scene, before))
    program.kill('SIGKILL')
    await Promise.all([program.exited, deploying])
    const after = await readFile(scene.live('gl_config.json'), 'utf8')
    const digest = `sha256:${createHash('sha256').update(after).digest('hex')}`
    assert.equal(digest, moment === 'written' ? saved.tag : tag)
    await scene.restart()
    const state = await read(scene)
    assert.equal(state.draft?.digest, moment === 'written' ? undefined : saved.tag)
    assert.deepEqual(
      (await readdir(scene.folder)).filter((name) => name.startsWith('.gl_config')),
      [],
    )
    assert.deepEqual(
      (await readdir(scene.live('working'))).filter((name) => name.startsWith('.')),
      [],
    )
    if (state.draft !== null) await scene.script('DELETE', `${GL}/draft?tag=${state.tag}`)
  }
})

test('drafts of 8 MiB for each file do not slow down other requests', async () => {
  await using scene = await startScene()
  const before = process.memoryUsage().rss
  const statuses = await Promise.all(
    fileNameSchema.options.map(async (name) => {
      const path = `/api/v1/files/${name}`
      const { tag, text } = await read(scene, path)
      const filler = 'x'.repeat(8 * MIB - Buffer.byteLength(text) - 100)
      const large = text.startsWith('{') ? text.replace('{', `{ "note": "${filler}",`) : `# ${filler}\n${text}`
      const headers = { authorization: 'Bearer gui-secret-5c2f81' }
      const raw = JSON.stringify({ tag, text: large })
      return (await scene.send({ method: 'PUT', path: `${path}/draft`, raw, headers })).status
    }),
  )
  // Requests beyond the bound are answered with 429.
  assert.ok(
    statuses.every((status) => status === 200 || status === 429),
    statuses.join(' '),
  )
  assert.ok(statuses.includes(200))
  assert.equal((await scene.script('GET', '/api/v1/files')).status, 200)
  assert.ok(process.memoryUsage().rss - before < 1_500 * MIB)
})

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { endpoints } from '@llm-gateway/gui-api'
import { startAllInOne } from '@llm-gateway/test/fake/all-in-one'

test('the supervisor starts the web interface; a deploy for another service ends when that service runs with the file', async () => {
  const environment = { GUI_SECRET: 'all-in-one-secret' }
  await using all = await startAllInOne('http://127.0.0.1:1', { environment })
  const port = await guiPort(() => all.program.lines.entries)
  const ask = async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${environment.GUI_SECRET}`, 'content-type': 'application/json' }
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return await answer.json()
  }
  const overview = endpoints.overview.answer.parse(await ask('GET', '/overview'))
  assert.deepEqual(
    overview.services.map(({ name, kind, state }) => [name, kind, state]),
    [
      ['nats-server', 'bus', 'healthy'],
      ['gl', 'gateway', 'healthy'],
      ['nats2file', 'sink', 'healthy'],
      ['nats2log', 'sink', 'healthy'],
      ['tokencounter', 'processor', 'healthy'],
      ['gui', 'web_interface', 'healthy'],
    ],
  )
  assert.equal(overview.gateway.reachable, true)
  const path = '/files/tokencounter_config.json'
  const { tag } = endpoints.file.answer.parse(await ask('GET', path))
  const edits = [{ op: 'set', path: ['cap_period_seconds'], value: 60 }]
  const saved = endpoints.file.answer.parse(await ask('PUT', `${path}/draft`, { tag, edits }))
  const done = endpoints.deploy.answer.parse(await ask('POST', `${path}/deploy`, { tag: saved.tag }))
  assert.equal(done.result, 'live')
  assert.equal(all.pids('tokencounter').length, 2)
  // The bus's own program judges its file.
  const bus = '/files/nats-server.conf'
  const file = endpoints.file.answer.parse(await ask('GET', bus))
  const broken = endpoints.file.answer.parse(
    await ask('PUT', `${bus}/draft`, { tag: file.tag, text: `${file.text}\nmax_payload: {` }),
  )
  const refused = await ask('POST', `${bus}/deploy`, { tag: broken.tag })
  assert.equal(Object(refused).error?.code, 'NOT_VALID')
  const [pid] = all.pids('gui')
  const rss = Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1])
  assert.ok(rss < 150 * 1024, `${rss} KiB`)
})

/** Waits for the log line with the interface's port. */
async function guiPort(lines: () => readonly string[]): Promise<number> {
  for (let tries = 0; tries < 600; tries += 1) {
    const line = lines().find((text) => text.includes('"web interface initialized"'))
    if (line !== undefined) return Number(JSON.parse(line).port)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('the web interface did not start')
}

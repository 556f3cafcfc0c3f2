import assert from 'node:assert/strict'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { type HttpAnswer, type Scene, startScene } from '../fixture/interface-scene.ts'

// Rules: docs/reference/web-api.md#failures

test('before the page is built every page answers 503 with the reason and Retry-After; the API answers as usual', async () => {
  await using scene = await startScene()
  const index = join(scene.folder, 'page/index.html')
  const built = await readFile(index)
  await rm(index)
  const person = await untilStatus(scene, 503)
  assert.equal(person.headers['retry-after'], '5')
  assert.equal(person.headers['content-type'], 'text/html; charset=utf-8')
  assert.match(person.text, /The page of the web interface is not built yet/)
  assert.match(person.text, /make web/)
  const script = await scene.ask({ path: '/login', headers: { accept: 'application/json' } })
  assert.equal(script.status, 503)
  assert.equal(script.headers['retry-after'], '5')
  assert.equal(script.json.error.code, 'PAGE_NOT_BUILT')
  assert.match(script.json.error.message, /^The page of the web interface is not built yet/)
  assert.equal((await scene.ask({ path: '/api/v1/session' })).status, 200)
  await writeFile(index, built)
  assert.equal((await untilStatus(scene, 200)).headers['retry-after'], undefined)
})

/** Asks for the login page as a browser does until it answers with the status. */
async function untilStatus(scene: Scene, status: number): Promise<HttpAnswer> {
  const deadline = Date.now() + 60_000
  for (;;) {
    const answer = await scene.ask({
      path: '/login',
      headers: { accept: 'text/html,application/json;q=0.9,*/*;q=0.8' },
    })
    if (answer.status === status) return answer
    assert.ok(Date.now() < deadline, `the login page still answers ${answer.status}`)
    await delay(100)
  }
}

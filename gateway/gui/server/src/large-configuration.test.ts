import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { startScene } from './fixture/interface-scene.ts'
import { watchTurns } from './fixture/watch-turns.ts'

const ROUTERS = 5_000
/** Longest turn of the main thread, in CPU time. */
const LONGEST_TURN_MS = 50
const PATHS = ['overview', 'files', 'files/gl_config.json', 'routers', 'charts?minutes=60', 'transactions'] as const

test(`with ${ROUTERS} routers no request blocks the main thread`, async () => {
  await using scene = await startScene()
  const headers = { authorization: 'Bearer gui-secret-5c2f81' }
  // The first request of each kind compiles its code.
  for (const path of PATHS) await scene.send({ path: `/api/v1/${path}`, headers })
  const routers = Array.from({ length: ROUTERS }, (_, index) => ({
    path: `/team-${index}/`,
    outbound: { url: 'https://localhost', headers: { 'Api-Key': ['${AISERVICE_API_KEY}'] } },
  }))
  await writeFile(scene.live('gl_config.json'), JSON.stringify({ admin_port: 0, routers }))
  for (const path of PATHS) {
    using turns = watchTurns()
    const { status, text } = await scene.send({ path: `/api/v1/${path}`, headers })
    assert.equal(status, 200, path)
    if (path === 'routers') assert.ok(text.includes(`/team-${ROUTERS - 1}/`))
    assert.ok(turns.longestMs < LONGEST_TURN_MS, `${path}: a turn took ${turns.longestMs} ms of CPU`)
  }
})

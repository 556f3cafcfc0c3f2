import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { assertShortTurns } from '@llm-gateway/test/fake/short-turns'
import { startScene } from './fixture/interface-scene.ts'
import { watchTurns } from './fixture/watch-turns.ts'

const ROUTERS = 5_000
/** Longest turn of the main thread, in CPU time. */
const LONGEST_TURN_MS = 50
const PATHS = ['overview', 'files', 'files/gl_config.json', 'routers', 'charts?minutes=60', 'transactions'] as const

test(`with ${ROUTERS} routers no request blocks the main thread`, async (t) => {
  await using scene = await startScene()
  const headers = { authorization: 'Bearer gui-secret-5c2f81' }
  // The first request of each kind compiles its code.
  for (const path of PATHS) await scene.send({ path: `/api/v1/${path}`, headers })
  const routersOf = (round: number) =>
    Array.from({ length: ROUTERS }, (_, index) => ({
      path: `/team-${index}/`,
      outbound: { url: 'https://localhost', headers: { 'Api-Key': ['${AISERVICE_API_KEY}'], 'X-Round': [`${round}`] } },
    }))
  let round = 0
  for (const path of PATHS)
    await t.test(path, () =>
      assertShortTurns(LONGEST_TURN_MS, async () => {
        // The file is another one in each round, so that each round reads it.
        round += 1
        await writeFile(scene.live('gl_config.json'), JSON.stringify({ admin_port: 0, routers: routersOf(round) }))
        using turns = watchTurns()
        const { status, text } = await scene.send({ path: `/api/v1/${path}`, headers })
        const { longestMs } = turns
        assert.equal(status, 200)
        if (path === 'routers') assert.ok(text.includes(`/team-${ROUTERS - 1}/`))
        return longestMs
      }),
    )
})

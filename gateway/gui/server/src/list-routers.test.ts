import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { startScene } from './fixture/interface-scene.ts'

test('the routers of a file are shown, whatever stands in place of the values of a header', async () => {
  await using scene = await startScene()
  const headers = { A: { toString: 1, valueOf: 1 }, B: [{ toString: null }, 7, null], C: 'c' }
  await writeFile(scene.live('gl_config.json'), JSON.stringify({ routers: [{ path: '/x/', outbound: { headers } }] }))
  const { status, json } = await scene.script('GET', '/api/v1/routers')
  assert.equal(status, 200)
  assert.deepEqual(
    json.routers[0].outbound_headers.map(({ values }: { readonly values: unknown }) => values),
    [['{"toString":1,"valueOf":1}'], ['{"toString":null}', '7', 'null'], ['c']],
  )
})

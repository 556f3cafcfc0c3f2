import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { startTrafficScan } from './traffic-scan.ts'

const SECRET = 'key-of-a-test-4711'
const ANSWERS: Readonly<Record<string, { readonly text: string; readonly isFound: boolean }>> = {
  'a value in a body': { text: `before ${SECRET} after`, isFound: true },
  'a value at any offset of a base64 text': { text: Buffer.from(`Bearer ${SECRET}`).toString('base64'), isFound: true },
  'half a value': { text: SECRET.slice(1), isFound: false },
}

for (const [what, { text, isFound }] of Object.entries(ANSWERS)) {
  test(`the scan ${isFound ? 'finds' : 'ignores'} ${what}`, async () => {
    assert.deepEqual(await namesIn([text]), isFound ? ['KEY'] : [])
  })
}

test('the scan finds a value that comes in two pieces', async () => {
  assert.deepEqual(await namesIn([`: event ${SECRET.slice(0, 5)}`, `${SECRET.slice(5)}\n\n`]), ['KEY'])
})

/** Returns the names found in an answer of these pieces. */
async function namesIn(pieces: readonly string[]): Promise<readonly string[]> {
  const server = createServer(async (_, answer) => {
    for (const piece of pieces) {
      answer.write(piece)
      await new Promise((resolve) => setImmediate(resolve))
    }
    answer.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  const scan = await startTrafficScan(address.port, { KEY: SECRET })
  const answer = await fetch(`http://127.0.0.1:${scan.port}/`)
  assert.equal(await answer.text(), pieces.join(''))
  const { names, bytes } = scan.found()
  assert.ok(bytes > 0)
  await scan.close()
  server.closeAllConnections()
  server.close()
  return names
}

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { startLlm } from '../../fake/llm.ts'
import { readAnswer } from '../../fake/raw-answer.ts'
import { rawExchange } from '../../fake/raw-http.ts'
import { type Scene, startScene } from '../../fake/scene.ts'

// Rules: docs/reference/http.md#paths

/** An LLM API that no router names: every path tries to reach it. */
const other = await startLlm()
let scene: Scene

before(async () => {
  scene = await startScene({
    routers: (url) => [
      { path: '/llm/', outbound: { url } },
      { path: '/base/', outbound: { url: `${url}/base` } },
      { path: '/', outbound: { url: `${url}/all/` } },
    ],
  })
  scene.llm.respond(() => ({ kind: 'answer', body: '{}' }))
})
after(async () => {
  await scene.close()
  await other.close()
})

const authority = `127.0.0.1:${other.port}`
const pieces = [
  ...['/', '//', '\\', '.', '..', '...', ';', '@', ':', '#', '?', '%', '&', '*', ' ', '\t', '\0', '\r', '\n', '\r\n'],
  ...['%2e', '%2E', '%2f', '%2F', '%5c', '%5C', '%00', '%0d', '%0a', '%25', '%252e', '%c0%ae', '%uff0e', '%20', '%ff'],
  ...['llm/', '/llm/', '/base/', 'http://', `http://${authority}`, `//${authority}`, `@${authority}`, authority, 'x'],
]
const raw = fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'binary-ascii', maxLength: 3 })))
const prefix = fc.constantFrom('', '/', '/llm/', '/base/', '/llm', `http://${authority}/`, `http://${authority}/llm/`)
const targets = fc.tuple(prefix, raw).map(([start, rest]) => start + rest.join(''))

/** Decodes once and splits at both slashes (docs/reference/http.md#paths). */
function hasDotSegment(url: string): boolean {
  const path = (url.split('?', 1)[0] ?? '').replace(/%([0-9a-f]{2})/gi, (_, hex) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  return path.split(/[/\\]/).some((segment) => segment === '.' || segment === '..')
}

test('no raw path reaches an LLM API with a dot segment, or another origin than its router’s', async () => {
  const { gateway, llm } = scene
  let reached = 0
  await fc.assert(
    fc.asyncProperty(targets, async (target) => {
      llm.requests.clear()
      const head = `GET ${target} HTTP/1.1\r\nHost: ${authority}\r\nConnection: close\r\n\r\n`
      const result = await rawExchange(gateway.port, Buffer.from(head, 'latin1'))
      const { status, headers } = readAnswer(result)
      assert.ok([200, 400, 404, 405].includes(status), `${status}`)
      assert.notEqual(headers.get('session-id'), null)
      assert.equal(other.connections, 0)
      for (const seen of llm.requests.entries) {
        reached += 1
        assert.ok(!hasDotSegment(seen.url), seen.url)
        assert.match(seen.url, /^\/[!-~]*$/)
        assert.deepEqual(seen.header('host'), [`127.0.0.1:${llm.port}`])
      }
    }),
    { numRuns: 1_500 },
  )
  // With fewer accepted paths the test would prove nothing.
  assert.ok(reached > 100, `${reached} paths were accepted`)
})

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { createDelivery } from '../../fake/delivery.ts'
import { startGatewayProcess } from '../../fake/gateway.ts'
import { type Respond, startLlm } from '../../fake/llm.ts'
import { jsonAnswer } from '../../fake/llm-answer.ts'
import { answerLikeAnLlm } from '../../fake/llm-dialects.ts'
import { startLoad } from '../../fake/load.ts'
import { readMetric } from '../../fake/metric.ts'
import { startNatsServer } from '../../fake/nats-server.ts'
import { startTokenCounter, TOKEN_COUNTER_ROWS } from '../../fake/token-counter.ts'

// Rules: docs/reference/configuration-rules.md#reload

const RELOADS = 200
const GIVE_UP_MS = 60_000

/** Makes two routers, one with url and key in the file, one with both in SECRETS_DIR. Url and key carry one serial. */
function routers(llmUrl: string, serial: number) {
  const router = (path: string, url: string, key: string) => ({
    path,
    outbound: { url, headers: { 'Api-Key': [key] } },
  })
  return [
    router('/file/', `${llmUrl}/file-${serial}`, `file-${serial}`),
    router('/values/', '${LLM_URL}', '${LLM_KEY}'),
  ]
}

/** Answers like an LLM API if the key belongs to the url, and notes the serial. */
function respondIfKeyMatches(seen: Set<string>): Respond {
  return (request) => {
    const [, serial = ''] = request.url.split('/')
    const keys = request.header('api-key')
    if (keys.length !== 1 || keys[0] !== serial) return jsonAnswer({ serial, keys }, { status: 500 })
    seen.add(serial)
    return answerLikeAnLlm(request.url, request.body)
  }
}

test(`${RELOADS} reloads under load fail no request, and no call sees half of a configuration`, async () => {
  const seen = new Set<string>()
  await using llm = await startLlm({ respond: respondIfKeyMatches(seen) })
  await using nats = await startNatsServer()
  await using _processor = await startTokenCounter(nats)
  const secretsDir = await mkdtemp(join(tmpdir(), 'llm-gateway-secrets-'))
  const values = await createDelivery(secretsDir)
  const deliverValues = (serial: number): Promise<void> =>
    values.swap({
      LLM_URL: `${llm.url}/values-${serial}\n`,
      LLM_KEY: `values-${serial}\n`,
      REVISION: String(serial),
    })
  await deliverValues(0)
  const first = { ...TOKEN_COUNTER_ROWS, routers: routers(llm.url, 0) }
  await using gateway = await startGatewayProcess({ admin: true, nats, secretsDir, config: first })
  const folder = await createDelivery(dirname(gateway.file))
  const aside = join(folder.directory, 'next.json')
  const ways: ReadonlyArray<(text: string) => Promise<void>> = [
    (text) => writeFile(aside, text).then(() => rename(aside, gateway.file)),
    // The way before this one has put a regular file in place of the link, so this write doesn't go through a link.
    (text) => writeFile(gateway.file, text),
    (text) => folder.swap({ 'gl_config.json': text }),
  ]

  await using load = startLoad({
    port: gateway.port,
    paths: ['/file/chat/completions', '/values/chat/completions'],
    rate: 200,
  })
  let digest = ''
  for (let serial = 1; serial <= RELOADS; serial += 1) {
    const write = ways[serial % (ways.length + 1)]
    if (write === undefined) await deliverValues(serial)
    else {
      const text = `${JSON.stringify({ ...gateway.config, routers: routers(llm.url, serial) })}\n`
      digest = `sha256:${createHash('sha256').update(text).digest('hex')}`
      await write(text)
    }
    await untilShown(gateway.adminUrl, write === undefined ? `"values_revision":"${serial}"` : digest)
    // Waits for requests between the reloads, since the gateway may reload faster than requests come.
    if (serial % 4 === 0) await load.more(4)
  }
  const configurations = seen.size
  await load.more(50)
  await load.stop()

  assert.deepEqual([load.failed, load.failures], [0, []])
  assert.ok(load.right > RELOADS, `${load.right} requests`)
  assert.ok(configurations > RELOADS / 4, `requests saw ${configurations} configurations`)
  // After the last reload only the last file's router and the last values are used.
  const last = llm.requests.entries.slice(-16).map(({ url }) => url.split('/')[1])
  assert.deepEqual(new Set(last), new Set([`file-${RELOADS}`, `values-${RELOADS - 1}`]))
  assert.match(await (await fetch(`${gateway.adminUrl}/status`)).text(), new RegExp(digest))
  assert.equal(await readMetric(gateway, 'llm_gateway_reloads_total', { result: 'ok' }), RELOADS + 1)
  await rm(secretsDir, { recursive: true })
})

async function untilShown(adminUrl: string | undefined, text: string): Promise<void> {
  const end = performance.now() + GIVE_UP_MS
  for (;;) {
    const status = await (await fetch(`${adminUrl}/status`)).text()
    if (status.includes(text)) return
    assert.ok(performance.now() < end, `no ${text} in ${status}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

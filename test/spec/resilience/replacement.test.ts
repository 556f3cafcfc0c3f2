import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startGatewayProcess } from '../../fake/gateway.ts'
import { startLlm } from '../../fake/llm.ts'
import { startLoad } from '../../fake/load.ts'
import { startNatsServer } from '../../fake/nats-server.ts'
import { collectRecords } from '../../fake/records.ts'
import { startTcpProxy } from '../../fake/tcp-proxy.ts'
import { startTokenCounter, TOKEN_COUNTER_ROWS } from '../../fake/token-counter.ts'

// Rules: docs/reference/http.md#drain

/** Long enough for a load balancer that pauses for a moment. */
const DRAIN_DELAY_MS = 8_000
const GIVE_UP_MS = 60_000

test('SIGTERM to a gateway with a running replacement: no request fails, exit code 0, every record arrives', async () => {
  await using nats = await startNatsServer()
  await using llm = await startLlm()
  await using _processor = await startTokenCounter(nats)
  await using records = await collectRecords(nats, { capacity: 100_000 })
  const routers = [{ path: '/llm/', outbound: { url: llm.url } }]
  const start = (gateway_id: string) =>
    startGatewayProcess({
      admin: true,
      nats,
      config: { ...TOKEN_COUNTER_ROWS, routers, gateway_id, limits: { drain_delay_ms: DRAIN_DELAY_MS } },
    })
  await using old = await start('OLDGATE1')
  await using replacement = await start('NEWGATE1')
  await using balancer = await startTcpProxy(old.port)
  await using load = startLoad({ port: balancer.port, paths: ['/llm/chat/completions'], rate: 200 })

  await load.more(200)
  old.kill('SIGTERM')
  await notReady(old.adminUrl)
  balancer.pointTo(replacement.port)
  assert.deepEqual(await old.exited, { code: 0, signal: null })
  await load.more(200)
  await load.stop()

  assert.deepEqual([load.failed, load.failures], [0, []])
  await records.journal.waitUntil(() => records.distinct().length >= load.right)
  const by = (id: string): number =>
    records.distinct().filter(({ record }) => record.transaction_id?.startsWith(id) === true).length
  const [oldOnes, newOnes] = [by('OLDGATE1'), by('NEWGATE1')]
  assert.equal(oldOnes + newOnes, load.right)
  assert.ok(oldOnes >= 200 && newOnes >= 200, `${oldOnes} by the old one, ${newOnes} by its replacement`)
})

async function notReady(adminUrl: string | undefined): Promise<void> {
  const end = performance.now() + GIVE_UP_MS
  while ((await fetch(`${adminUrl}/readyz`)).status !== 503) {
    assert.ok(performance.now() < end, 'still ready')
    // A poll, like a load balancer's.
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BusClient, connectBusClient } from '../../fake/bus-client.ts'
import { type RunningGatewayProcess, startGatewayProcess } from '../../fake/gateway.ts'
import { startLlm } from '../../fake/llm.ts'
import { type Load, startLoad } from '../../fake/load.ts'
import { metricUntil, readMetric } from '../../fake/metric.ts'
import { type NatsServer, startNatsServer } from '../../fake/nats-server.ts'
import { startTcpProxy, type TcpProxy } from '../../fake/tcp-proxy.ts'
import { startTokenCounter, TOKEN_COUNTER_ROWS } from '../../fake/token-counter.ts'

// Rules: docs/reference/http.md#without-the-bus, docs/reference/kept-records.md#queue-and-spool,
// docs/reference/kept-records.md#losses

const KILLS = 3
const RATE = 200
/** Calls while the bus is away: many more than the PONGs of the second before. */
const CALLS_WITHOUT_BUS = 5 * RATE
/** Calls before each kill, so that there are PONGs older than a second. */
const CALLS_WITH_BUS = 2 * RATE

type Scene = {
  readonly nats: NatsServer
  readonly bus: TcpProxy
  readonly gateway: RunningGatewayProcess
  readonly load: Load
  readonly reader: BusClient
}

test('while the bus is killed and restarted under load no request fails, and lost records are counted', async () => {
  await using nats = await startNatsServer()
  await using bus = await startTcpProxy(nats.port)
  await using llm = await startLlm()
  await using _processor = await startTokenCounter(nats)
  await using reader = await connectBusClient(nats)
  const received = new Set<string | undefined>()
  await reader.subscribe('llm.gl.logger', ({ messageId }) => received.add(messageId))
  const config = { ...TOKEN_COUNTER_ROWS, routers: [{ path: '/llm/', outbound: { url: llm.url } }] }
  const server = { address: bus.address, token: nats.token }
  await using gateway = await startGatewayProcess({ admin: true, nats: server, config })
  await using load = startLoad({ port: gateway.port, paths: ['/llm/chat/completions'], rate: RATE })

  const published = await trackPublished(gateway)
  let unseen = 0
  for (let kill = 0; kill < KILLS; kill += 1) {
    await load.more(CALLS_WITH_BUS)
    unseen += await killAndRestart({ nats, bus, gateway, load, reader }, published)
  }
  await load.more(CALLS_WITH_BUS)
  await load.stop()

  assert.deepEqual([load.failed, load.failures], [0, []])
  await metricUntil(
    () => readMetric(gateway, 'llm_gateway_record_queue_bytes'),
    (bytes) => bytes === 0,
  )
  await published.stop()
  await reader.flush()
  const lost = await readMetric(gateway, 'llm_gateway_records_total', { result: 'lost' })
  const missing = load.right - received.size
  assert.ok(missing >= 0, `${received.size} records of ${load.right} calls`)
  assert.ok(
    missing <= lost + unseen,
    `${missing} missing, ${lost} counted as lost, ${unseen} PONGed just before a kill`,
  )
  // The bound must be able to fail: it is below the number of calls without the bus.
  assert.ok(lost + unseen < KILLS * CALLS_WITHOUT_BUS, `${lost} lost, ${unseen} PONGed`)
})

/**
 * Kills the bus, makes calls without it and restarts it, reconnecting the reader before the gateway. Returns the number
 * of records that were PONGed in the second before the kill.
 */
async function killAndRestart({ nats, bus, gateway, load, reader }: Scene, published: Published): Promise<number> {
  const before = published.untilAgo(1_000)
  await nats.kill('SIGKILL')
  await metricUntil(
    () => readMetric(gateway, 'llm_gateway_bus_connected'),
    (connected) => connected === 0,
  )
  const unseen = (await published.now()) - before
  bus.hold()
  await load.more(CALLS_WITHOUT_BUS)
  await nats.restart()
  await reader.flush()
  bus.resume()
  await metricUntil(
    () => readMetric(gateway, 'llm_gateway_bus_connected'),
    (connected) => connected === 1,
  )
  return unseen
}

type Published = {
  /** Returns the number of records PONGed until `agoMs` before now, or a little earlier. */
  untilAgo(agoMs: number): number
  now(): Promise<number>
  stop(): Promise<void>
}

/** Follows `llm_gateway_records_total{result="published"}`, which counts PONGs. */
async function trackPublished(gateway: RunningGatewayProcess): Promise<Published> {
  const samples: Array<{ readonly at: number; readonly count: number }> = []
  let stopped = false
  const now = async (): Promise<number> => {
    // The time of the question: later PONGs can only make this moment's count larger.
    const at = performance.now()
    const count = await readMetric(gateway, 'llm_gateway_records_total', { result: 'published' })
    samples.push({ at, count })
    return count
  }
  const follow = async (): Promise<void> => {
    while (!stopped) {
      await now()
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  await now()
  const following = follow()
  return {
    untilAgo: (agoMs) => samples.findLast(({ at }) => at <= performance.now() - agoMs)?.count ?? 0,
    now,
    stop: () => {
      stopped = true
      return following
    },
  }
}

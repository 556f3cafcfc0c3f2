import assert from 'node:assert/strict'
import { type RunningGatewayProcess, startGatewayProcess } from '../fake/gateway.ts'
import type { GatewayConfig } from '../fake/gateway-file.ts'
import { readMetric } from '../fake/metric.ts'
import type { NatsServer } from '../fake/nats-server.ts'
import type { TcpProxy } from '../fake/tcp-proxy.ts'
import type { Callers } from './callers.ts'

/** The gateway of a ledger: one process after another, with one spool. */
export type LedgerGateway = {
  /** Ends it by that signal and starts another one in its place. */
  replace(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void
  /** Waits until neither its memory nor its spool hold a record. */
  untilDelivered(): Promise<void>
  /** Records that it counts as lost, those of the processes before it too. */
  lost(): Promise<number>
  readonly residentBytes: () => Promise<number>
  close(): Promise<void>
}

export type LedgerGatewayOptions = {
  readonly nats: NatsServer
  readonly bus: TcpProxy
  readonly llmUrl: string
  readonly callers: Callers
  readonly config: GatewayConfig
}

const DELIVERED_MS = 120_000

export async function startLedgerGateway({
  nats,
  bus,
  llmUrl,
  callers,
  config,
}: LedgerGatewayOptions): Promise<LedgerGateway> {
  const start = (): Promise<RunningGatewayProcess> =>
    startGatewayProcess({
      admin: true,
      nats: { address: bus.address, token: nats.token },
      config: { ...config, routers: [{ path: '/llm/', outbound: { url: llmUrl } }] },
    })
  let gateway = await start()
  callers.pointTo(gateway.port)
  return {
    replace: async (signal) => {
      gateway.kill(signal)
      await gateway.exited
      callers.pointTo(undefined)
      await gateway.close()
      gateway = await start()
      callers.pointTo(gateway.port)
    },
    signal: (signal) => gateway.kill(signal),
    untilDelivered: () => untilDelivered(gateway),
    lost: async () => (await readMetric(gateway, 'llm_gateway_records_total', { result: 'lost' })) ?? 0,
    residentBytes: async () => (await readMetric(gateway, 'process_resident_memory_bytes', {})) ?? 0,
    close: () => gateway.close(),
  }
}

async function untilDelivered({ adminUrl }: RunningGatewayProcess): Promise<void> {
  const end = performance.now() + DELIVERED_MS
  for (;;) {
    const { records } = Object(await (await fetch(`${adminUrl}/status`)).json())
    const isEmpty = records.queued_bytes === 0 && records.spooled_records === 0
    if (records.stream === 'on' && isEmpty && records.spool === 'on') return
    assert.ok(performance.now() < end, JSON.stringify(records))
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

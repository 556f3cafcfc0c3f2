import assert from 'node:assert/strict'
import { type RunningGatewayProcess, startGatewayProcess } from '../fake/gateway.ts'
import type { GatewayConfig } from '../fake/gateway-file.ts'
import { readMetric } from '../fake/metric.ts'
import type { NatsServer } from '../fake/nats-server.ts'
import type { TcpProxy } from '../fake/tcp-proxy.ts'
import type { Callers } from './callers.ts'

type Status = Readonly<Record<string, unknown>>

/** The gateway of a ledger: successive processes with one spool. */
export type LedgerGateway = {
  /** Ends the process with a signal and starts another process. */
  replace(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void
  /** Waits until the spool holds at most this number of bytes. */
  untilSpooled(bytes: number): Promise<void>
  /** Waits until `holds` is true of the gateway's status of records. */
  untilStatus(holds: (records: Status) => boolean): Promise<void>
  /** Waits until neither memory nor spool hold a record. */
  untilDelivered(): Promise<void>
  /** Returns the number of lost records, including those of earlier processes. */
  lost(): Promise<number>
  /** Returns the gateway's status of records. */
  status(): Promise<unknown>
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
    untilSpooled: (bytes) => until(gateway, ({ spooled_bytes }) => Number(spooled_bytes) <= bytes),
    untilStatus: (holds) => until(gateway, holds),
    untilDelivered: () =>
      until(gateway, ({ stream, spool, queued_bytes, spooled_records }) => {
        return stream === 'on' && spool === 'on' && queued_bytes === 0 && spooled_records === 0
      }),
    lost: async () => (await readMetric(gateway, 'llm_gateway_records_total', { result: 'lost' })) ?? 0,
    status: async () => Object(await (await fetch(`${gateway.adminUrl}/status`)).json()).records,
    close: () => gateway.close(),
  }
}

async function until({ adminUrl }: RunningGatewayProcess, holds: (records: Status) => boolean): Promise<void> {
  const end = performance.now() + DELIVERED_MS
  for (;;) {
    const { records } = Object(await (await fetch(`${adminUrl}/status`)).json())
    if (holds(records)) return
    assert.ok(performance.now() < end, JSON.stringify(records))
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

import { setTimeout as sleep } from 'node:timers/promises'
import type { LossLog } from './bus/loss-log.ts'
import type { Reload } from './config/reload.ts'
import type { RuntimeConfig } from './config/runtime-config.ts'
import type { Admin } from './http/admin.ts'
import type { IngressCertificate } from './http/ingress-certificate.ts'
import type { GatewayServer } from './http/server.ts'
import type { Gateway } from './transaction/transaction.ts'

/** All started parts of the gateway. */
export type RunningParts = Gateway & {
  readonly server: GatewayServer
  readonly reload: Reload<RuntimeConfig>
  readonly certificate: IngressCertificate | undefined
  readonly lossLog: LossLog
  /** True from the beginning of the stop: `/readyz` answers 503. */
  draining: boolean
}

/** The milliseconds that queued records have to leave after the last call. */
const lastRecordsMs = 5_000
/** The milliseconds, within drain_ms, that queued records have while another server of the bus takes over. */
const failoverMs = 30_000

/**
 * Stops without losing a call (docs/reference/http.md#drain). `/readyz` answers 503 at once. The listener stays open
 * for drain_delay_ms, so that load balancers notice. Then running calls have drain_ms to end, and the last records
 * leave. Resolves with false where a disk hasn't answered in time, so that a thread of the process waits for it.
 */
export async function stopGateway(running: RunningParts, admin: Admin): Promise<boolean> {
  const { server, live, logger } = running
  running.draining = true
  server.startDraining()
  logger.info({ inflight: server.inflight }, 'draining')
  const hasReloadEnded = await running.reload.close()
  running.certificate?.close()
  const { drain } = live.current
  await sleep(drain.delayMs)
  const endMs = performance.now() + drain.limitMs
  // Calls may wait for a silent asynchronous processor; without the bus they end and make their records.
  await server.close(drain.limitMs, () => running.bus.close())
  const leftMs = Math.min(failoverMs, endMs - performance.now())
  await running.records?.drain(lastRecordsMs, Math.max(lastRecordsMs, leftMs))
  await running.records?.close()
  running.lossLog.logTotals()
  await running.bus.close()
  await running.upstream.close()
  await admin.close()
  const isDiskHung = running.records?.isDiskHung === true
  if (isDiskHung) logger.warn({}, 'disk of the spool does not answer')
  logger.info({}, 'stopped')
  return hasReloadEnded && !isDiskHung
}

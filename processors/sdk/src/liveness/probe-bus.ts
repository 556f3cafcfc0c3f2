import type { LivenessOutcome, LivenessProbe } from './liveness-probe.ts'

const TIMEOUT_MS = 5_000
const MOST_BYTES = 64 * 1024

/** Publishes and waits for the acknowledgement. Unless that fails, asks the monitoring port too, when there is one. */
export async function probeBus(liveness: LivenessProbe, monitor: URL | undefined): Promise<LivenessOutcome> {
  const published = await liveness.probe()
  if (published.kind === 'failed' || monitor === undefined) return published
  const health = await monitoredHealth(monitor)
  return health.kind === 'failed' ? health : published
}

/**
 * Reads a nats-server's `/healthz` on its monitoring port. Since 2.12 a stream that failed to be written stays broken
 * until the server restarts, and only `/healthz` reports it.
 */
export async function monitoredHealth(monitor: URL): Promise<LivenessOutcome> {
  const answer = await answerOf(new URL('/healthz', monitor))
  if (answer === undefined) return { kind: 'unjudged', code: 'NO_MONITOR' }
  const { status, error } = answer
  if (status === 'ok') return { kind: 'acknowledged' }
  if (typeof status !== 'string') return { kind: 'unjudged', code: 'ODD_ANSWER' }
  return { kind: 'failed', code: 'UNHEALTHY', text: typeof error === 'string' ? error : status }
}

/** Returns the folder of the streams of the bus at a monitoring port; undefined when the bus doesn't report it. */
export async function monitoredStore(monitor: URL): Promise<string | undefined> {
  const answer = await answerOf(new URL('/jsz?config=true', monitor))
  const folder = objectOf(answer?.config)?.store_dir
  return typeof folder === 'string' && folder !== '' ? folder : undefined
}

/** The size of the bus's store and the sum that its streams have reserved, in bytes. */
export type StoreSize = { readonly maxBytes: number; readonly reservedBytes: number }

/** Returns the sizes of the bus at a monitoring port; undefined when the bus doesn't report them. */
export async function monitoredSize(monitor: URL): Promise<StoreSize | undefined> {
  const answer = await answerOf(new URL('/jsz?config=true', monitor))
  const maxBytes = objectOf(answer?.config)?.max_storage
  const reservedBytes = answer?.reserved_storage
  return isSize(maxBytes) && isSize(reservedBytes) ? { maxBytes, reservedBytes } : undefined
}

function isSize(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

async function answerOf(url: URL): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'error' })
    const text = await answer.text()
    return text.length > MOST_BYTES ? undefined : objectOf(JSON.parse(text))
  } catch (error) {
    // The server is missing or slow, or its answer isn't JSON; the probe's publish shows whether the bus stores.
    if (error instanceof Error) return undefined
    throw error
  }
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : undefined
}

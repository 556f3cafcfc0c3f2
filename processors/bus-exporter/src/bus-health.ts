import type { Logger } from '@llm-gateway/sdk'
import { BusLife, type BusOptions, connectBus, probeBus, storeRoom, watchBusLife } from '@llm-gateway/sdk/bus-life'
import type { Reply } from '@llm-gateway/sdk/port'

export type BusHealth = {
  /** By path and query. */
  readonly routes: ReadonlyMap<string, () => Promise<Reply>>
  /** Whether the bus stores what is published; undefined: it never did. */
  stores(): boolean | undefined
  readonly ended: Promise<void>
}

export type WatchedBus = {
  readonly bus: BusOptions
  readonly subject: string
  readonly store: string
  readonly monitor: URL
  readonly logger: Logger
  readonly signal: AbortSignal
  /** Unset: as usual. */
  readonly pace?: { readonly intervalMs: number; readonly failures: number; readonly timeoutMs: number }
}

/** An exporter of an image that doesn't know this answers with its own health: nothing is started anew by mistake. */
const PATH = '/healthz?of=bus'
/** The kubelet asks every 10 s and starts the bus anew after six failures: an exporter that starts anew itself is back by then. */
const ASKED_MS = 120_000
const BACK_OFF_MS = 300_000
const OK: Reply = { status: 200, text: 'ok\n' }

/** Answers the kubelet's liveness probe of the bus: 503 while a new start would help, and says why in the log. */
export function busHealth({ bus: place, subject, store, monitor, logger, signal, pace }: WatchedBus): BusHealth {
  let answer = OK
  let stores: boolean | undefined
  const watch = async (): Promise<void> => {
    // That it is away is in the metrics.
    const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }
    const bus = await connectBus({ ...place, name: 'bus-exporter', logger: silent, signal })
    if (bus === undefined) return
    const life = new BusLife({ subject, bus: () => bus, ...pace })
    let restartedMs = Number.NEGATIVE_INFINITY
    await watchBusLife({
      probe: async () => {
        const outcome = await probeBus(life, monitor)
        if (outcome.kind !== 'unjudged') stores = outcome.kind === 'acknowledged'
        if (stores === true || performance.now() - restartedMs > ASKED_MS) answer = OK
        return outcome
      },
      room: () => storeRoom(store),
      restart: async () => {
        restartedMs = performance.now()
        answer = { status: 503, text: 'the bus stores nothing\n' }
      },
      news: ({ kind, ...why }) => logger.warn({ state: kind, ...why }, 'bus life'),
      signal,
      now: () => performance.now(),
      backOffMs: BACK_OFF_MS,
      ...pace,
    })
    await bus.close()
  }
  return { routes: new Map([[PATH, async () => answer]]), stores: () => stores, ended: watch() }
}

import type { Logger } from '@llm-gateway/conf'
import { failureOf } from '../failure-of.ts'
import type { Work, WorkQueue } from './work-queue.ts'

export type ControllerOptions = {
  readonly queue: WorkQueue
  readonly workers: number
  /**
   * Resolves with the ms after which the key comes back; undefined: it doesn't. After a rejection the key comes back,
   * too.
   */
  readonly reconcile: (work: Pick<Work, 'key' | 'superseded'>) => Promise<number | undefined>
  readonly logger: Logger
  /** Called after each reconciliation. */
  readonly reconciled?: (result: 'success' | 'error', seconds: number) => void
}

/** Works on the queue until it is closed; never rejects. */
export async function runController(options: ControllerOptions): Promise<void> {
  await Promise.all(Array.from({ length: options.workers }, () => work(options)))
}

async function work({ queue, reconcile, logger, reconciled }: ControllerOptions): Promise<void> {
  for (let item = await queue.take(); item !== undefined; item = await queue.take()) {
    const began = performance.now()
    const failure = await reconcile(item).then((againMs) => {
      if (againMs !== undefined) queue.addAfter(item.key, againMs)
      return undefined
    }, failureOf)
    // Work that ends with this process isn't a failure: the next leader does it.
    if (failure !== undefined && !queue.closed) {
      logger.warn({ llmgateway: item.key, ...failure }, 'reconciliation failed and is tried again')
    }
    reconciled?.(failure === undefined ? 'success' : 'error', (performance.now() - began) / 1000)
    item.done(failure === undefined ? 'succeeded' : 'failed')
  }
}

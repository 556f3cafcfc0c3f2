import type { BusStreams, ConsumerStart, Logger, StreamAnswer, StreamState } from '@llm-gateway/sdk'
import type { Checkpoint, CheckpointStore } from '../checkpoints/checkpoint-store.ts'
import { Position } from '../checkpoints/position.ts'

export type ConsumerOptions = {
  readonly streams: BusStreams
  readonly stream: string
  /** The name of the sink and of its consumer. */
  readonly service: string
  readonly checkpoints: CheckpointStore
  /** The place where a new sink begins. */
  readonly start: ConsumerStart
  readonly logger: Logger
}

/** Makes the sink's consumer when it is missing and returns the position to go on from; undefined when that fails. */
export async function openConsumer(state: StreamState, options: ConsumerOptions): Promise<Position | undefined> {
  const { stream, checkpoints, logger } = options
  const progress = await checkpoints.load(state.created)
  const isSame = progress?.created === state.created
  if (progress !== undefined && !isSame) {
    logger.warn(
      { stream, created: state.created, before: progress.created },
      'stream was deleted and made again; records may be missing',
    )
  }
  const consumer = await consumerOf(options, startOf(progress, isSame, options.start))
  if (consumer.kind !== 'found') return undefined
  const floor = isSame ? progress.floor : consumer.value.floor
  return new Position({
    created: state.created,
    floor,
    newestMs: (isSame ? progress.newestMs : undefined) ?? state.lastMs,
  })
}

async function consumerOf({ streams, stream, service }: ConsumerOptions, start: ConsumerStart) {
  const known = await streams.consumer(stream, service)
  if (known.kind !== 'missing') return known
  const made = await streams.makeConsumer(stream, { name: service, start })
  return made.kind === 'found' ? await streams.consumer(stream, service) : (made satisfies StreamAnswer<string>)
}

/**
 * Returns the start of a new consumer: the configured one for a new sink, the record after the sink's progress in the
 * same stream, or the beginning of a stream that was made anew.
 */
function startOf(progress: Checkpoint | undefined, isSame: boolean, start: ConsumerStart): ConsumerStart {
  if (progress === undefined) return start
  return isSame ? { kind: 'sequence', sequence: progress.floor + 1 } : { kind: 'beginning' }
}

import { DEFAULT_BUS_PREFIX } from '@llm-gateway/protocol'
import { type ProcessorContext, type ProcessorDefinition, waitFor } from '@llm-gateway/sdk'
import { createConclusion, createMock, type MockOptions } from './answer-message.ts'
import { createMockMetrics } from './mock-metrics.ts'
import { ownRecordings, type RecordingStore, Recordings } from './recordings.ts'
import { type MockSettings, mockSettings } from './settings.ts'
import { sharedRecordings } from './shared-recordings.ts'
import type { TakeOptions } from './take-recording.ts'

/** Delayed answers cost only a timer each, and a delay must not block recordings or other replays. */
const CONCURRENCY = 4_096
/** The bytes that the store needs for a value's key and metadata. */
const STORED_BESIDE_BYTES = 1_024

/**
 * Defines the processor that records the last answer of each router and replays it on `/mock` + router path
 * (docs/reference/processors.md#mock).
 */
export function mock(version: string): ProcessorDefinition<MockSettings> {
  return {
    name: 'mock',
    version,
    settings: mockSettings,
    variables: { LAMBDA: 'lambda' },
    limits: { concurrency: CONCURRENCY },
    create: (settings, context) => {
      const { recordings: count, recording_bytes, total_bytes } = settings
      const limits = { recordings: count, recordingBytes: recording_bytes, totalBytes: total_bytes }
      const recordings = new Recordings(limits)
      const store = settings.shared ? shared(settings, recordings, context) : ownRecordings(recordings)
      const wait = async (): Promise<void> => {
        const delayMs = drawDelayMs(settings.lambda, settings.max_delay_ms, Math.random)
        // At the program's end the mock replays without the rest of the delay.
        if (delayMs > 0) await waitFor(delayMs, context.signal)
      }
      const taking: TakeOptions = { routersPrefix: settings.routers_prefix, sessionHeader: settings.session_header }
      const options: MockOptions = { ...taking, store, wait, count: createMockMetrics(context.metrics, recordings) }
      const program = new URL('./message-thread.ts', import.meta.url)
      return {
        answer: createMock(options),
        large: { program, data: taking, conclude: createConclusion(options) },
        close: store.close,
      }
    },
  }
}

function shared(settings: MockSettings, recordings: Recordings, context: ProcessorContext): RecordingStore {
  const { environment, logger } = context
  const prefix = (environment.BUS_PREFIX || DEFAULT_BUS_PREFIX).replaceAll('.', '_')
  const keyValue = context.keyValue({
    bucket: `${prefix}_mock`,
    // A full bucket takes nothing, so there is room for a new recording before the recordings that it displaces are
    // deleted.
    maxBytes: settings.total_bytes + 2 * settings.recording_bytes + settings.recordings * STORED_BESIDE_BYTES,
    storage: 'file',
  })
  return sharedRecordings({ recordings, keyValue, logger })
}

/** LAMBDA 1 is a mean of 100 ms, 0.2 a mean of 500 ms (docs/reference/processors.md#mock). */
const MEAN_MS_OF_ONE = 100

/**
 * Returns the milliseconds that a replay waits: exponentially distributed with mean 100/`lambda`, 0 for `lambda` 0, at
 * most `maxDelayMs`. `random` gives numbers from 0 up to, but not including, 1.
 */
export function drawDelayMs(lambda: number, maxDelayMs: number, random: () => number): number {
  if (lambda === 0) return 0
  // log1p(-u) is finite for each u below 1, and exact for small u.
  return Math.min((-Math.log1p(-random()) * MEAN_MS_OF_ONE) / lambda, maxDelayMs)
}

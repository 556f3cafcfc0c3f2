import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type {
  BusStreams,
  ConsumerStart,
  PullEnd,
  PullOptions,
  StreamAnswer,
  StreamMessage,
  StreamState,
} from '../bus/bus-streams.ts'
import { readStream } from './read-stream.ts'

const LIMIT_MS = 2_000

/** A stream without messages whose connection is lost after a pull of more than the limit; then a message comes. */
function quietStreams(): BusStreams {
  let pulls = 0
  const ended = async ({ receive }: PullOptions): Promise<PullEnd> => {
    pulls += 1
    if (pulls === 1) await sleep(LIMIT_MS + 100)
    if (pulls === 3) receive({ sequence: 1 } as StreamMessage)
    return pulls === 1 ? 'waited' : 'lost'
  }
  const streams: Pick<BusStreams, 'state' | 'makeConsumer' | 'removeConsumer' | 'pull'> = {
    state: async () => ({ kind: 'found', value: { first: 1, last: 0 } as never }),
    makeConsumer: async () => ({ kind: 'found', value: 'reader' }),
    removeConsumer: async () => undefined,
    pull: (options) => ({ ended: ended(options), close: () => undefined }),
  }
  return streams as BusStreams
}

test('a pull without messages is an answer: the limit of silence counts from the loss of the connection', async () => {
  let isExceeded = false
  const exceeded = (): void => {
    isExceeded = true
  }
  const reading = readStream({
    streams: quietStreams(),
    stream: 'records_llm',
    start: { kind: 'now' },
    follow: true,
    signal: new AbortController().signal,
    silenceLimit: { ms: LIMIT_MS, exceeded },
  })
  const { value } = await reading.next()
  assert.equal(value?.sequence, 1)
  assert.equal(isExceeded, false)
  await reading.return()
})

test('a reading that has its last message leaves no pull open and no listener at its signal', async () => {
  const { signal } = new AbortController()
  let open = 0
  const pull = ({ receive }: PullOptions) => {
    open += 1
    receive({ sequence: 1 } as StreamMessage)
    const { promise: ended, resolve } = Promise.withResolvers<PullEnd>()
    const close = (): void => {
      open -= 1
      resolve('closed')
    }
    return { ended, close }
  }
  const state: BusStreams['state'] = async () => ({
    kind: 'found',
    value: { created: '', first: 1, last: 1, lastMs: 0, mostBytes: undefined },
  })
  const streams: BusStreams = { ...quietStreams(), state, pull }
  const sequences: number[] = []
  const reading = { streams, stream: 'records_llm', start: { kind: 'beginning' }, follow: false, signal } as const
  for await (const { sequence } of readStream(reading)) sequences.push(sequence)
  assert.deepEqual([sequences, open, getEventListeners(signal, 'abort').length], [[1], 0, 0])
})

test('a reading that is stopped while its consumer is made ends without waiting for its pull', async () => {
  const stop = new AbortController()
  const makeConsumer: BusStreams['makeConsumer'] = async () => {
    stop.abort()
    return { kind: 'found', value: 'reader' }
  }
  const pull = () => {
    const { promise: ended, resolve } = Promise.withResolvers<PullEnd>()
    return { ended, close: () => resolve('closed') }
  }
  const streams: BusStreams = { ...quietStreams(), makeConsumer, pull }
  const reading = { streams, stream: 'records_llm', start: { kind: 'now' }, follow: true, signal: stop.signal } as const
  assert.equal((await readStream(reading).next()).done, true)
})

/** Streams with an answer for each question about the state; each consumer gets the messages for its start. */
function changingStreams(
  states: readonly StreamAnswer<StreamState>[],
  messagesFrom: (start: ConsumerStart) => number[],
) {
  const starts: ConsumerStart[] = []
  let asked = 0
  const pull = ({ receive }: PullOptions) => {
    for (const sequence of messagesFrom(starts.at(-1) ?? { kind: 'now' })) receive({ sequence } as StreamMessage)
    return { ended: Promise.resolve<PullEnd>('lost'), close: () => undefined }
  }
  const streams: BusStreams = {
    ...quietStreams(),
    state: async () => states[Math.min(asked++, states.length - 1)] ?? { kind: 'missing' },
    makeConsumer: async (_, { start }) => {
      starts.push(start)
      return { kind: 'found', value: 'reader' }
    },
    consumer: async () => ({ kind: 'failed', code: 'TIMEOUT' }),
    pull,
  }
  return { streams, starts }
}

const found = (created: string, last: number): StreamAnswer<StreamState> => ({
  kind: 'found',
  value: { created, first: 1, last, lastMs: 0, mostBytes: undefined },
})

test('a followed stream that was made anew is read from its beginning, not from the old sequence', async () => {
  const stop = new AbortController()
  const { streams, starts } = changingStreams([found('a', 40), found('a', 40), found('b', 2)], (start) =>
    start.kind === 'now' ? [41] : start.kind === 'beginning' ? [1, 2] : [],
  )
  const sequences: number[] = []
  const reading = { streams, stream: 'records_llm', start: { kind: 'now' }, follow: true, signal: stop.signal } as const
  for await (const { sequence } of readStream(reading)) {
    sequences.push(sequence)
    if (sequences.length === 3) stop.abort()
  }
  assert.deepEqual(sequences, [41, 1, 2])
  assert.deepEqual(starts.at(-1), { kind: 'beginning' })
})

test('a stream that was made anew ends a reading of the kept messages', async () => {
  const { signal } = new AbortController()
  const { streams } = changingStreams([found('a', 40), found('a', 40), found('b', 2)], () => [1])
  const reading = { streams, stream: 'records_llm', start: { kind: 'beginning' }, follow: false, signal } as const
  const sequences: number[] = []
  for await (const { sequence } of readStream(reading)) sequences.push(sequence)
  assert.deepEqual(sequences, [1])
})

test('a stream is followed although the bus does not answer at first', async () => {
  const stop = new AbortController()
  const { streams } = changingStreams([{ kind: 'failed', code: 'TIMEOUT' }, found('a', 1)], () => [2])
  const reading = { streams, stream: 'records_llm', start: { kind: 'now' }, follow: true, signal: stop.signal } as const
  const { value } = await readStream(reading).next()
  assert.equal(value?.sequence, 2)
})

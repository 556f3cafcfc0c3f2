import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BusStreams, PullEnd, PullOptions, StreamMessage } from '../bus/bus-streams.ts'
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

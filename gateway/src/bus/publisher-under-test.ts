import assert from 'node:assert/strict'
import { Journal } from '@llm-gateway/test/fake/journal'
import type { StoredRecord } from '@llm-gateway/test/fake/record-stream'
import { type RecordConnectionUnderTest, recordText } from './bus-under-test.ts'
import type { RecordMessage } from './record-message.ts'
import { createRecordPublisher, type RecordPublisher, type RecordPublisherOptions } from './record-publisher.ts'

export const MIB = 1024 * 1024

/** A publisher and its losses. */
export type PublisherUnderTest = {
  readonly publisher: RecordPublisher
  readonly lost: Journal<string>
  readonly lostBefore: Journal<string>
} & AsyncDisposable

/** Starts a publisher, with a spool where it has a directory. */
export function publisherOn(
  connection: RecordConnectionUnderTest,
  directory: string | undefined,
  options: Partial<RecordPublisherOptions> & { readonly maxBytes?: number } = {},
): PublisherUnderTest {
  const lost = new Journal<string>(100_000)
  const lostBefore = new Journal<string>()
  const { maxBytes = 1024 * MIB, ...rest } = options
  const publisher = createRecordPublisher({
    connection,
    subject: 'llm.gl.logger',
    usesStream: true,
    logger: connection.logger,
    queueBytes: 32 * MIB,
    messageIdPrefix: 'GATEWAY1-1',
    ...(directory === undefined ? {} : { spool: { directory, maxBytes, retryMs: 20 } }),
    onWait: () => undefined,
    onPublished: () => undefined,
    onLost: (count, reason) => lost.add(`${count} ${reason}`),
    onEarlierLosses: (count, reason) => lostBefore.add(`${count} ${reason}`),
    ...rest,
  })
  return { publisher, lost, lostBefore, [Symbol.asyncDispose]: () => publisher.close() }
}

export const record = (serial: number, size = 0) =>
  recordText(Buffer.from(JSON.stringify({ serial, filler: 'x'.repeat(size) })))
export const serialOf = ({ text }: StoredRecord): number => JSON.parse(text).serial

type Status = {
  readonly stream: string
  readonly acknowledged: number
  readonly queued_bytes: number
  readonly spooled_records: number
  readonly spool: string
  readonly unjournalled?: number
  readonly lost: Readonly<Record<string, number>>
}

/** Waits until the status meets a condition. */
export async function until({ publisher }: PublisherUnderTest, holds: (status: Status) => boolean): Promise<void> {
  const end = performance.now() + 60_000
  while (!holds(publisher.status)) {
    assert.ok(performance.now() < end, JSON.stringify(publisher.status))
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

export const empty = (status: Status): boolean => status.queued_bytes === 0 && status.spooled_records === 0
export const spooled =
  (count: number) =>
  (status: Status): boolean =>
    status.queued_bytes === 0 && status.spooled_records === count

/** Awaits a change before the first message that `isDue` is sent; the connection counts as behind meanwhile. */
export function changeBefore(
  connection: RecordConnectionUnderTest,
  isDue: (message: RecordMessage) => boolean,
  change: () => Promise<unknown>,
): void {
  const { publish } = connection
  let state: 'unchanged' | 'changing' | 'changed' = 'unchanged'
  connection.publish = (message) => {
    if (state === 'changed' || !isDue(message)) return publish(message)
    if (state === 'unchanged') {
      state = 'changing'
      void change().then(() => {
        state = 'changed'
      })
    }
    return false
  }
}

import { randomBytes } from 'node:crypto'
import type { EventsV1Event } from '@kubernetes/client-node'
import type { Logger } from '@llm-gateway/conf'
import type { KubeClient } from '@llm-gateway/kube'
import { failureOf } from '../failure-of.ts'
import { microTime } from '../lease/lease-record.ts'
import type { JsonOf } from '../model/manifest.ts'
import { TokenBucket } from './token-bucket.ts'

/** The object that an event is about. */
export type EventSubject = {
  readonly apiVersion: string
  readonly kind: string
  readonly namespace: string
  readonly name: string
  /** "": unknown. */
  readonly uid: string
}
export type EventType = 'Normal' | 'Warning'

/** The events that people see at an object (events.k8s.io/v1). */
export type Events = {
  /** Returns at once. An event that can't be written is dropped. `note` names references, never values. */
  report(subject: EventSubject, type: EventType, reason: string, note: string): void
  close(): Promise<void>
}

export type EventsOptions = {
  readonly client: Pick<KubeClient, 'create' | 'merge'>
  /** The identity of this process: several operators may write events. */
  readonly instance: string
  readonly logger: Logger
  /** Milliseconds of a clock that never goes back. */
  readonly clock?: () => number
}

/** A repeat within this time raises the count of the first event. */
const WINDOW_MS = 360_000
/** A count is written at most this often. */
const SERIES_EVERY_MS = 30_000
/** The events of a namespace at once, so that 5,000 Routers which become Programmed aren't 5,000 events. */
const BURST = 50
const PER_SECOND = 1
/** The events of all namespaces at once: hundreds of changed resources must not flood the API server. */
const ALL_BURST = 200
const ALL_PER_SECOND = 10
const MAX_NAMESPACES = 1_024
const MAX_REMEMBERED = 4_096
const MAX_WAITING = 200
const NOTE_BYTES = 1_024
const INSTANCE_LENGTH = 128
const NAME_LENGTH = 230

type Event = JsonOf<EventsV1Event>
type SentEvent = { readonly namespace: string; readonly name: string; count: number; at: number; writtenAt: number }

export function createEvents({ client, instance, logger, clock = () => performance.now() }: EventsOptions): Events {
  const sent = new Map<string, SentEvent>()
  const all = new TokenBucket({ burst: ALL_BURST, perSecond: ALL_PER_SECOND, clock })
  const buckets = new Map<string, TokenBucket>()
  let tail = Promise.resolve()
  let waiting = 0
  let closed = false

  /** Asks the namespace's bucket first, so that a noisy namespace takes nothing from the others. */
  const maySend = (namespace: string): boolean => {
    const own = buckets.get(namespace) ?? new TokenBucket({ burst: BURST, perSecond: PER_SECOND, clock })
    buckets.delete(namespace)
    buckets.set(namespace, own)
    const [oldest] = buckets.keys()
    if (buckets.size > MAX_NAMESPACES && oldest !== undefined) buckets.delete(oldest)
    return own.take() && all.take()
  }
  const later = (write: () => Promise<unknown>): void => {
    waiting += 1
    tail = tail
      .then(async () => {
        if (!closed) await write()
      })
      .catch((error) => logger.warn(failureOf(error), 'event could not be written'))
      .finally(() => {
        waiting -= 1
      })
  }
  const countAgain = (before: SentEvent, now: number): void => {
    before.count += 1
    before.at = now
    if (now - before.writtenAt < SERIES_EVERY_MS || !maySend(before.namespace)) return
    before.writtenAt = now
    const patch: Partial<Event> = { series: { count: before.count, lastObservedTime: microTime(Date.now()) } }
    const { namespace, name } = before
    later(() => client.merge({ kind: 'Event', namespace, name }, patch))
  }
  return {
    report: (subject, type, reason, note) => {
      if (closed) return
      const now = clock()
      const key = [subject.kind, subject.namespace, subject.name, subject.uid, type, reason, note].join('\n')
      const before = sent.get(key)
      if (before !== undefined && now - before.at < WINDOW_MS) return countAgain(before, now)
      const { namespace } = subject
      if (waiting >= MAX_WAITING || !maySend(namespace)) return
      const name = `${subject.name.slice(0, NAME_LENGTH)}.${randomBytes(8).toString('hex')}`
      sent.delete(key)
      sent.set(key, { namespace, name, count: 1, at: now, writtenAt: now })
      const [oldest] = sent.keys()
      if (sent.size > MAX_REMEMBERED && oldest !== undefined) sent.delete(oldest)
      const regarding = subject.uid === '' ? { ...subject, uid: undefined } : subject
      later(() => {
        const event: Event = {
          apiVersion: 'events.k8s.io/v1',
          kind: 'Event',
          metadata: { name, namespace },
          eventTime: microTime(Date.now()),
          reportingController: 'llmgateway.io/operator',
          reportingInstance: instance.slice(0, INSTANCE_LENGTH),
          action: 'Reconcile',
          type,
          reason,
          note: shortened(note),
          regarding,
        }
        return client.create({ kind: 'Event', namespace, name }, event)
      })
    },
    close: async () => {
      closed = true
      await tail
    },
  }
}

/** Cuts a note to 1,024 bytes, at a whole character. */
function shortened(note: string): string {
  const bytes = Buffer.from(note)
  return bytes.length <= NOTE_BYTES
    ? note
    : new TextDecoder().decode(bytes.subarray(0, NOTE_BYTES - 4)).replace(/\uFFFD+$/, '')
}

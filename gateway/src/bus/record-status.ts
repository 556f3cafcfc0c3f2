import type { Overtaken } from '@llm-gateway/protocol'
import type { Spool } from '../spool/spool.ts'
import type { SpoolStatus } from '../spool/spool-status.ts'
import type { StoreCode } from './publish-answer.ts'
import type { RecordQueue } from './record-queue.ts'
import type { RecordSender, StreamState } from './record-sender.ts'

/** The member `records` of `/status` (docs/reference/kept-records.md#status). */
export type RecordStatus = {
  readonly stream: StreamState
  /** The reason why the bus stores nothing. */
  readonly stream_code?: StoreCode
  /** The number of records that the bus's stream acknowledged since the start. */
  readonly acknowledged: number
  readonly queued_bytes: number
  /** Lost records by reason; with a spool, those of earlier processes too. */
  readonly lost: Readonly<Record<string, number>>
  /** The records of answered calls that the journal did not take since the start; left out where there are none. */
  readonly unjournalled?: number
  /** The sinks that missed records of the stream; left out where there are none. */
  readonly overtaken?: Readonly<Record<string, Overtaken>>
} & SpoolStatus

type Parts = {
  readonly sender: Pick<RecordSender, 'state' | 'code'>
  readonly queue: Pick<RecordQueue, 'bytes'>
  readonly spool: Pick<Spool, 'status'> | undefined
  readonly acknowledged: number
  readonly unjournalled: number
  readonly lost: ReadonlyMap<string, number>
  readonly overtaken: Readonly<Record<string, Overtaken>>
}

const NO_SPOOL: SpoolStatus = { spool: 'off', spooled_records: 0, spooled_bytes: 0 }

export function recordStatus(parts: Parts): RecordStatus {
  const { sender, queue, spool, acknowledged, unjournalled, lost, overtaken } = parts
  const { state, code } = sender
  return {
    stream: state,
    ...(code === undefined ? {} : { stream_code: code }),
    acknowledged,
    queued_bytes: queue.bytes,
    ...(spool?.status ?? NO_SPOOL),
    ...(unjournalled === 0 ? {} : { unjournalled }),
    lost: Object.fromEntries(lost),
    ...(Object.keys(overtaken).length === 0 ? {} : { overtaken }),
  }
}

import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '@llm-gateway/conf'
import type { DiskLimit } from '../spool/disk-limit.ts'
import { frameBytes, MAX_ID_BYTES } from '../spool/frame.ts'
import type { Spool } from '../spool/spool.ts'
import type { RecordConnection } from './record-connection.ts'
import type { RecordQueue } from './record-queue.ts'
import type { RecordReplay } from './record-replay.ts'
import type { RecordRoom } from './record-room.ts'
import type { RecordSender } from './record-sender.ts'
import type { RecordSpill } from './record-spill.ts'

type DrainParts = {
  readonly connection: RecordConnection
  readonly queue: RecordQueue
  readonly room: RecordRoom
  readonly sender: RecordSender
  readonly spool: Spool | undefined
  readonly spill: RecordSpill | undefined
  readonly replay: RecordReplay | undefined
  readonly disk: DiskLimit
  readonly logger: Pick<Logger, 'warn'>
  readonly onLost: (count: number) => void
}

const CHECK_MS = 5
/** At exit the remaining records go to disk once the bus has been silent for this long. */
const SILENCE_MS = 1_000

/**
 * Publishes records until the time is over, then writes the rest to disk. Records that the disk doesn't take within its
 * limit are lost, unless they are in the journal, which the next process reads.
 */
export async function drainRecords(parts: DrainParts, timeoutMs: number): Promise<void> {
  const { queue, room, sender, spool, spill, replay, disk, logger, onLost } = parts
  const endMs = performance.now() + timeoutMs
  sender.isDraining = true
  sender.startSoon()
  while (performance.now() < endMs && !isDrained(parts)) await sleep(CHECK_MS)
  room.endAll()
  await disk.wait(spill?.spillAll())
  await disk.wait(replay?.close())
  // The journal of a removed folder is gone, too.
  await disk.wait(spool?.countVanished())
  const { journalled, lost } = queue.clear()
  if (lost > 0) onLost(lost)
  if (spool === undefined) return
  const fields = { ...spool.status, ...(journalled === 0 ? {} : { journalled_records: journalled }) }
  if (spool.records > 0 || journalled > 0) logger.warn(fields, 'records stay in the spool')
}

/** Returns true where another server takes over within seconds: waiting helps then, and a spool may be lost with its pod. */
export function hasFailover({ servers }: RecordConnection): boolean {
  return servers > 1
}

/** Returns true where no record is left, or the rest is safer on disk. */
function isDrained(parts: DrainParts): boolean {
  const { connection, queue, sender, spool } = parts
  const isQueueEmpty = queue.count === 0
  if (isQueueEmpty && (spool === undefined || spool.records === 0)) return true
  if (hasFailover(connection)) return false
  if (isQueueEmpty && !sender.isReady) return true
  return canSpill(parts) && (!connection.connected || sender.silentMs > SILENCE_MS)
}

/** Returns true where the spool has room for all records in memory, those that wait for room there included. */
function canSpill({ queue, room, spool }: DrainParts): boolean {
  if (spool?.acceptsRecords !== true) return false
  const headBytes = queue.count * frameBytes({ jsonBytes: 0, idBytes: MAX_ID_BYTES })
  return spool.room.fits(queue.bytes + room.waitingBytes + headBytes)
}

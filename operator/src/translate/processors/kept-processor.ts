import type { Processor } from '@llm-gateway/crds'
import type { KubeObject, ObjectPlace } from '../../model/kube-object.ts'
import type { ObjectName, Snapshot } from '../../model/snapshot.ts'
import type { ProcessorAcceptance } from './accept-processors.ts'
import { liveEntries } from './enable-call-points.ts'
import { liveSubject } from './processor-names.ts'
import { processorPlaces } from './processor-objects.ts'
import type { ProcessorResolution } from './resolve-processor.ts'
import type { RowEntry } from './row-entries.ts'

/** What is said of one Processor before its pods and those of the gateway are looked at. */
export type ProcessorJudgement = {
  readonly processor: Processor
  readonly acceptance: ProcessorAcceptance
  readonly resolution: ProcessorResolution
  /** Its call points stay as they were in the file. */
  readonly kept: boolean
  /** Required, and its Deployment was never Available: not in the file yet. */
  readonly waiting: boolean
  readonly objectNames: readonly ObjectName[]
}

/** What comes of one of them. */
export type TranslatedProcessor = {
  readonly entries: readonly RowEntry[]
  /** A Mock whose call points are in the file. */
  readonly replays: boolean
  readonly objects: readonly KubeObject[]
  readonly withheld: readonly ObjectPlace[]
  readonly judgement: ProcessorJudgement
}

export type KeptAround = {
  readonly snapshot: Snapshot
  readonly takenSubjects: ReadonlySet<string>
  /** The call points of those Processors that can be read. */
  readonly readable: readonly RowEntry[]
}

/** A Processor whose spec was never read: its call points stay as they are in the live file, and what runs of it stays. */
export function keptProcessor(acceptance: ProcessorAcceptance, around: KeptAround): TranslatedProcessor {
  const { processor, reason } = acceptance
  const { snapshot, takenSubjects } = around
  const accepted = reason === 'Accepted'
  // What another one is called by isn't this one's.
  const isTaken = !accepted && takenSubjects.has(liveSubject(processor, snapshot.gateway))
  const live = isTaken ? [] : liveEntries(processor, snapshot)
  const objects = processorPlaces(processor, snapshot.gateway)
  return {
    entries: live.map((point) => ({ phase: point.phase, entry: point.entry, order: orderOf(point, around) })),
    replays: accepted && processor.spec.type === 'Mock' && live.length > 0,
    objects: [],
    withheld: objects,
    judgement: {
      processor,
      acceptance,
      resolution: UNREAD,
      kept: live.length > 0,
      waiting: false,
      objectNames: objects.map(({ kind, metadata: { name } }) => ({ kind, name })),
    },
  }
}

const UNREAD: ProcessorResolution = {
  verdict: { status: 'Unknown', reason: 'ReadFailed', message: 'Its references can not be read.' },
  templateResolved: false,
}

/** In the row in which it stands, beside whom it stands there; alone in it, behind the rows before. */
function orderOf({ phase, row }: Snapshot['liveCallPoints'][number], { snapshot, readable }: KeptAround): number {
  const rows = new Map(
    snapshot.liveCallPoints
      .filter((point) => point.phase === phase)
      .map((point) => [point.entry.service_bus_topic, point.row]),
  )
  const placed = readable
    .filter((one) => one.phase === phase)
    .map(({ order, entry }) => ({ order, row: rows.get(entry.service_bus_topic) }))
  const beside = placed.find((one) => one.row === row)
  const before = placed.filter((one) => one.row !== undefined && one.row < row).map(({ order }) => order)
  // Between two whole numbers; several that can't be read keep their rows apart.
  return beside?.order ?? Math.max(FIRST, ...before) + (row + 1) / ROWS
}

/** Below every order that can be said. */
const FIRST = -1
/** More rows than a file has, twice: what a refused edit left in use stands half a row behind. */
const ROWS = 4_096

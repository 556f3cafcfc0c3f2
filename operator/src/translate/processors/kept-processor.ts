import type { Processor } from '@llm-gateway/crds'
import type { ObjectHead } from '../../model/kube-object.ts'
import type { Manifest } from '../../model/manifest.ts'
import type { ObjectName, Snapshot } from '../../model/snapshot.ts'
import type { ProcessorAcceptance } from './accept-processors.ts'
import { keptEntry, liveEntries } from './enable-call-points.ts'
import { liveSubject } from './processor-names.ts'
import { processorPlaces } from './processor-objects.ts'
import type { ProcessorResolution } from './resolve-processor.ts'
import type { RowEntry } from './row-entries.ts'

/** The verdicts on a Processor before its pods and the gateway's are looked at. */
export type ProcessorJudgement = {
  readonly processor: Processor
  readonly acceptance: ProcessorAcceptance
  readonly resolution: ProcessorResolution
  /** True when its call points stay as they were in the file. */
  readonly kept: boolean
  /** True when it is required and its Deployment was never Available: its call points aren't in the file yet. */
  readonly waiting: boolean
  readonly objectNames: readonly ObjectName[]
}

/** The result of translating one Processor. */
export type TranslatedProcessor = {
  readonly entries: readonly RowEntry[]
  /** True for a Mock whose call points are in the file. */
  readonly replays: boolean
  readonly objects: readonly Manifest[]
  readonly withheld: readonly ObjectHead[]
  readonly judgement: ProcessorJudgement
}

/** Subject → its Processor. */
export type SubjectHolders = ReadonlyMap<string, ProcessorAcceptance>

export type KeptProcessorContext = {
  readonly snapshot: Snapshot
  readonly holders: SubjectHolders
  /** The call points of the Processors that can be read. */
  readonly readable: readonly RowEntry[]
}

/**
 * Translates a Processor whose spec was never read: its call points stay as they are in the live file, and its objects
 * stay.
 */
export function keptProcessor(acceptance: ProcessorAcceptance, around: KeptProcessorContext): TranslatedProcessor {
  const { processor, reason } = acceptance
  const { snapshot, holders } = around
  const accepted = reason === 'Accepted'
  // The live entries of a subject that another Processor has now are that Processor's.
  const isTaken = holders.get(liveSubject(processor, snapshot.gateway)) !== acceptance
  const live = isTaken ? [] : liveEntries(processor, snapshot)
  const objects = processorPlaces(processor, snapshot.gateway)
  return {
    entries: live.map((point) => ({
      phase: point.phase,
      entry: keptEntry(point.entry),
      order: orderOf(point, around),
    })),
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
  verdict: { status: 'Unknown', reason: 'ReadFailed', message: 'The references of this Processor can not be read.' },
  templateResolved: false,
}

/**
 * Returns the order that keeps a call point in its row of the live file: beside the members of that row, or in a row of
 * its own behind the rows before it.
 */
function orderOf(
  { phase, row }: Snapshot['liveCallPoints'][number],
  { snapshot, readable }: KeptProcessorContext,
): number {
  const rows = new Map(
    snapshot.liveCallPoints
      .filter((point) => point.phase === phase)
      .map((point) => [point.entry.service_bus_topic, point.row]),
  )
  const placed = readable
    .filter((point) => point.phase === phase)
    .map(({ order, entry }) => ({ order, row: rows.get(entry.service_bus_topic) }))
  const beside = placed.find((point) => point.row === row)
  const before = placed.filter((point) => point.row !== undefined && point.row < row).map(({ order }) => order)
  // A number between two whole numbers, so that several unreadable call points keep their rows apart.
  return beside?.order ?? Math.max(FIRST, ...before) + (row + 1) / ROWS
}

/** Lower than every order that a resource can set. */
const FIRST = -1
/** More than twice the rows of a file. The fraction stays below 0.5, where kept entries of a refused edit stand. */
const ROWS = 4_096

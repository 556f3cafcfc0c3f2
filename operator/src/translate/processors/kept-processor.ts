import type { Processor } from '@llm-gateway/crds'
import type { ObjectHead } from '../../model/kube-object.ts'
import type { Manifest } from '../../model/manifest.ts'
import type { ObjectName, Snapshot } from '../../model/snapshot.ts'
import type { ProcessorAcceptance } from './accept-processors.ts'
import { keptEntry, type LiveEntries } from './enable-call-points.ts'
import type { LiveRows } from './live-rows.ts'
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
  readonly live: LiveEntries
  readonly rows: LiveRows
}

/**
 * Translates a Processor whose spec was never read: its call points stay as they are in the live file, and its objects
 * stay.
 */
export function keptProcessor(acceptance: ProcessorAcceptance, around: KeptProcessorContext): TranslatedProcessor {
  const { processor, reason } = acceptance
  const { snapshot, holders, live: entries, rows } = around
  const accepted = reason === 'Accepted'
  const subject = liveSubject(processor, snapshot.gateway)
  // The live entries of a subject that another Processor has now are that Processor's.
  const live = holders.get(subject) === acceptance ? (entries.get(subject) ?? []) : []
  const objects = processorPlaces(processor, snapshot.gateway)
  return {
    entries: live.map((point) => ({
      phase: point.phase,
      entry: keptEntry(point.entry),
      order: rows.orderOf(point),
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

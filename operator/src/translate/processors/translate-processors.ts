import { hash } from 'node:crypto'
import { MAX_MEMBERS } from '@llm-gateway/conf'
import type { Processor } from '@llm-gateway/crds'
import type { ObjectHead } from '../../model/kube-object.ts'
import type { Manifest } from '../../model/manifest.ts'
import type { Snapshot } from '../../model/snapshot.ts'
import { busKeys } from '../objects/template-keys.ts'
import type { BuiltEntry } from '../routers/build-entry.ts'
import type { Steps } from '../steps.ts'
import { isNeverRead } from '../unreadable.ts'
import { processorVersions, readKey } from '../variables/read-key.ts'
import { acceptProcessors, type ProcessorAcceptance } from './accept-processors.ts'
import { isRequired, type Phase } from './call-points.ts'
import { keptEntries, type LiveEntries, liveEntries, mayEnable } from './enable-call-points.ts'
import { type HeldBack, heldBack } from './held-back.ts'
import {
  keptProcessor,
  type ProcessorJudgement,
  type SubjectHolders,
  type TranslatedProcessor,
} from './kept-processor.ts'
import { LiveRows } from './live-rows.ts'
import { knownPools } from './named-routers.ts'
import { callPointsKey, liveSubject } from './processor-names.ts'
import { processorObjects } from './processor-objects.ts'
import { processorSettings } from './processor-settings.ts'
import { replayRouters } from './replay-routers.ts'
import { resolveProcessor } from './resolve-processor.ts'
import { type RouterPaths, routerPaths } from './router-paths.ts'
import { type RowEntry, rowEntries, type WrittenEntry } from './row-entries.ts'

type Rows = readonly (readonly WrittenEntry[])[]

/** The result of translating a gateway's Processors. */
export type TranslatedProcessors = {
  readonly requestRows: Rows
  readonly responseRows: Rows
  /** The routers of a Mock's replays. */
  readonly routers: readonly BuiltEntry[]
  readonly objects: readonly Manifest[]
  /** Objects that stay as they are: a reference of the template is missing, or the Processor isn't accepted. */
  readonly withheld: readonly ObjectHead[]
  /** `Processor <name>` → hash of its call points in the file. */
  readonly entries: ReadonlyMap<string, string>
  /** The hashes of the paths that kept call points always name. */
  readonly kept: readonly string[]
  readonly judgements: readonly ProcessorJudgement[]
  /** Routers whose calls could bypass a required Processor. */
  readonly heldBack: HeldBack
}

/**
 * Translates Processors to rows, replays and workloads, the older first, a Processor in each step. The function is
 * pure; `built` are the Routers that hold their path.
 */
export function* translateProcessors(snapshot: Snapshot, built: readonly BuiltEntry[]): Steps<TranslatedProcessors> {
  const acceptances = yield* acceptProcessors(snapshot.processors)
  const paths = routerPaths(acceptances, built, snapshot)
  const holders = subjectHolders(acceptances, snapshot)
  const live = yield* liveEntries(snapshot.liveCallPoints)
  const translated = new Map<ProcessorAcceptance, TranslatedProcessor>()
  for (const acceptance of acceptances.filter(({ processor }) => !isNeverRead(processor))) {
    translated.set(acceptance, translateOne(acceptance, { paths, snapshot, holders, live }))
    yield
  }
  const readable = [...translated.values()].flatMap(({ entries }) => entries)
  const rows = new LiveRows(snapshot.liveCallPoints, readable)
  const all: TranslatedProcessor[] = []
  for (const acceptance of acceptances) {
    all.push(translated.get(acceptance) ?? keptProcessor(acceptance, { snapshot, holders, live, rows }))
    yield
  }
  const entries = all.flatMap(({ entries }) => entries)
  const hashes = yield* hashesOf(all)
  const kept = yield* keptHashes(all)
  return {
    requestRows: composeRows(entries, 'request'),
    responseRows: composeRows(entries, 'response'),
    // Without its Mock a replay would call an address that doesn't exist.
    routers: all.some(({ replays }) => replays) ? replayRouters(paths.replayed, built) : [],
    objects: all.flatMap(({ objects }) => objects),
    withheld: all.flatMap(({ withheld }) => withheld),
    entries: hashes,
    kept,
    judgements: all.map(({ judgement }) => judgement),
    heldBack: yield* heldBack(built, holders, { snapshot, live }),
  }
}

type ProcessorContext = {
  readonly paths: RouterPaths
  readonly snapshot: Snapshot
  readonly holders: SubjectHolders
  readonly live: LiveEntries
}

/**
 * Returns the Processor of each subject, which may keep the live call points there: an accepted one, those with a spec
 * first, else the oldest with a Deployment, else the oldest. If two kept them, the next file would have each twice, and
 * the file after it four times.
 */
function subjectHolders(
  acceptances: readonly ProcessorAcceptance[],
  { gateway, processorDeployments }: Snapshot,
): SubjectHolders {
  const rank = ({ processor, reason }: ProcessorAcceptance) => {
    if (reason === 'Accepted') return isNeverRead(processor) ? 1 : 0
    // A Processor that was never accepted has no Deployment: the call points in use aren't its own.
    return processorDeployments.has(processor.metadata.name) ? 2 : 3
  }
  const holders = new Map<string, ProcessorAcceptance>()
  for (const acceptance of acceptances.toSorted((a, b) => rank(a) - rank(b))) {
    const subject = liveSubject(acceptance.processor, gateway)
    if (!holders.has(subject)) holders.set(subject, acceptance)
  }
  return holders
}

function translateOne(
  acceptance: ProcessorAcceptance,
  { paths, snapshot, holders, live }: ProcessorContext,
): TranslatedProcessor {
  const { processor } = acceptance
  const { gateway, sources, defaultImage } = snapshot
  const accepted = acceptance.reason === 'Accepted'
  const isTaken = holders.get(liveSubject(processor, gateway)) !== acceptance
  const resolution = resolveProcessor(processor, paths.known, sources)
  const settings = processorSettings(processor, gateway, paths.known)
  const image = gateway.spec.image === '' ? defaultImage : gateway.spec.image
  const versions = processorVersions(processor, sources)
  const objects = processorObjects(processor, { gateway, image, settings, versions })
  const busResolved = busKeys(gateway).every((key) => readKey(key, sources).kind === 'value')
  const isApplied = accepted && resolution.templateResolved && busResolved && isRunnable(processor, paths)
  const enabled = accepted && mayEnable(acceptance, resolution, { snapshot, live })
  const kept = enabled || isTaken ? [] : keptEntries(acceptance, { snapshot, live }, paths)
  return {
    entries: enabled ? rowEntries(processor, gateway, paths) : kept,
    replays: enabled && processor.spec.type === 'Mock',
    objects: isApplied ? objects : [],
    withheld: isApplied ? [] : objects,
    judgement: {
      processor,
      acceptance,
      resolution,
      kept: kept.length > 0,
      waiting: accepted && !enabled && isRequired(processor),
      objectNames: objects.map(({ kind, metadata: { name } }) => ({ kind, name })),
    },
  }
}

/** A Broker's program ends at its start where no pool is complete. */
function isRunnable(processor: Processor, { known }: RouterPaths): boolean {
  return processor.spec.type !== 'Broker' || knownPools(processor, known).length > 0
}

function* hashesOf(all: readonly TranslatedProcessor[]): Steps<ReadonlyMap<string, string>> {
  const hashes = new Map<string, string>()
  const ofLists = new Map<readonly string[], string>()
  /** A list is hashed once, since all Processors without `routers` share one. */
  const listHash = (list: readonly string[] = []): string => {
    const known = ofLists.get(list) ?? sha256(JSON.stringify(list))
    ofLists.set(list, known)
    return known
  }
  for (const { judgement, entries } of all) {
    if (entries.length === 0) continue
    const texts = entries.map(({ entry: { routers, reroute_to, kept: _, ...own }, ...place }) =>
      JSON.stringify([place, own, listHash(routers), listHash(reroute_to)]),
    )
    hashes.set(callPointsKey(judgement.processor.metadata.name), sha256(texts.join('\n')))
    yield
  }
  return hashes
}

function* keptHashes(all: readonly TranslatedProcessor[]): Steps<readonly string[]> {
  const hashes: string[] = []
  for (const { judgement, entries } of all) {
    if (!judgement.kept) continue
    const paths = entries.map(({ entry: { kept = [] } }) => [...kept])
    hashes.push(sha256(JSON.stringify([judgement.processor.metadata.name, paths])))
    yield
  }
  return hashes
}

function sha256(text: string): string {
  return hash('sha256', text)
}

/**
 * Makes `request.processors` or `response.processors` of gl_config.json. Equal orders share a row; in a row the older
 * Processor comes first. Entries that a row of the gateway doesn't hold make further rows.
 */
function composeRows(entries: readonly RowEntry[], phase: Phase): Rows {
  const rows = new Map<number, WrittenEntry[]>()
  for (const { phase: where, order, entry } of entries) {
    if (where !== phase) continue
    const row = rows.get(order) ?? []
    row.push(entry)
    rows.set(order, row)
  }
  return [...rows].sort(([a], [b]) => a - b).flatMap(([, row]) => inRows(row))
}

function inRows(entries: readonly WrittenEntry[]): Rows {
  const count = Math.ceil(entries.length / MAX_MEMBERS)
  return Array.from({ length: count }, (_, at) => entries.slice(at * MAX_MEMBERS, (at + 1) * MAX_MEMBERS))
}

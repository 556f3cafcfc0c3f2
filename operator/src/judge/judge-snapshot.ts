import type { Observation, ObservedDeployment, ObservedPod, Snapshot } from '../model/snapshot.ts'
import type { Statuses } from '../translate/judge-all.ts'
import type { EntryMemory } from '../translate/routers/entry-memory.ts'
import { type Translation, translate } from '../translate/translate.ts'

export type Judgement = { readonly translation: Translation; readonly statuses: Statuses }

/** Translates a snapshot and judges it as in a cluster in which everything runs. `now` is RFC 3339. */
export function judgeSnapshot(snapshot: Snapshot, now: string, memory?: EntryMemory): Judgement {
  const translation = translate(snapshot, memory)
  return { translation, statuses: translation.statuses(idealObservation(snapshot, translation, now)) }
}

/** Returns a Deployment whose pods are all ready. With zero replicas it is available, too. */
export function readyDeployment(replicas: number): ObservedDeployment {
  return { available: true, stuck: false, replicas, readyReplicas: replicas, updatedReplicas: replicas }
}

/**
 * Returns the observation in which every pod is ready and has loaded the translation. Faults that remain are the
 * resources' own.
 */
function idealObservation(
  { gateway, processors }: Snapshot,
  { digest, entries, fits }: Translation,
  now: string,
): Observation {
  const { replicas } = gateway.spec
  const loaded = { digest, entries: fits ? entries : new Map<string, string>() }
  const pod = (index: number): ObservedPod => ({
    name: `${gateway.metadata.name}-${index}`,
    ready: true,
    report: { kind: 'reported', valuesRevision: REVISION, busConnected: true, records: KEPT, ...loaded },
    lagMs: 0,
  })
  return {
    now,
    pods: Array.from({ length: replicas }, (_, index) => pod(index)),
    deployment: readyDeployment(replicas),
    rolledOut: true,
    processors: new Map(
      processors.map(({ metadata: { name }, spec }) => [
        name,
        { deployment: readyDeployment(spec.replicas), failure: undefined, rolledOut: true },
      ]),
    ),
    nameConflicts: [],
    valuesRevision: REVISION,
    applyFailures: [],
  }
}

const KEPT = { stream: 'on', spooledBytes: 0 } as const
/** The operator's first revision. */
const REVISION = '1'

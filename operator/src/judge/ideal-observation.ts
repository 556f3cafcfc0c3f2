import type { Observation, ObservedPod, Snapshot } from '../model/snapshot.ts'
import type { Translation } from '../translate/translate.ts'
import { running } from './running.ts'

/** What would be seen once every pod is ready and has loaded the translation: what is wrong then is wrong with the resources. */
export function idealObservation(
  { gateway, processors }: Snapshot,
  { digest, entries }: Translation,
  now: string,
): Observation {
  const { replicas } = gateway.spec
  const pod = (index: number): ObservedPod => ({
    name: `${gateway.metadata.name}-${index}`,
    ready: true,
    report: { kind: 'reported', digest, valuesRevision: REVISION, busConnected: true, records: KEPT, entries },
    lagMs: 0,
  })
  return {
    now,
    pods: Array.from({ length: replicas }, (_, index) => pod(index)),
    deployment: running(replicas),
    rolledOut: true,
    processors: new Map(
      processors.map(({ metadata: { name }, spec }) => [
        name,
        { deployment: running(spec.replicas), failure: undefined, rolledOut: true },
      ]),
    ),
    nameConflicts: [],
    valuesRevision: REVISION,
    applyFailures: [],
  }
}

const KEPT = { stream: 'on', spooledBytes: 0 } as const
/** The first that the operator writes. */
const REVISION = '1'

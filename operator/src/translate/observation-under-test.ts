import type { Observation } from '../model/snapshot.ts'

/** What the operator observes of a gateway whose objects are applied and which has no pods. */
export const NO_PODS: Observation = {
  now: '2026-11-21T02:00:00Z',
  pods: [],
  deployment: undefined,
  rolledOut: true,
  processors: new Map(),
  nameConflicts: [],
  valuesRevision: '1',
  applyFailures: [],
}

type Condition = { readonly type: string; readonly status: string }

/** As far as tools that wait for any kind look at it. */
export type WaitedFor = {
  readonly metadata: { readonly generation?: number; readonly deletionTimestamp?: string | undefined }
  readonly status?: {
    readonly observedGeneration?: number | undefined
    readonly conditions?: readonly Condition[] | undefined
  }
}

export type KStatus = 'Current' | 'InProgress' | 'Failed' | 'Terminating'

/**
 * What Flux, helm 4 and kpt make of a kind that they know nothing of: the generic rules of kstatus, in its order
 * (sigs.k8s.io/cli-utils, pkg/kstatus/README.md, "The Ready condition" and "generic properties").
 */
export function kstatusOf({ metadata, status = {} }: WaitedFor): KStatus {
  const { observedGeneration, conditions = [] } = status
  const is = (type: string, value: string): boolean =>
    conditions.some((condition) => condition.type === type && condition.status === value)
  if (metadata.deletionTimestamp !== undefined) return 'Terminating'
  if (observedGeneration !== undefined && observedGeneration !== metadata.generation) return 'InProgress'
  if (is('Reconciling', 'True')) return 'InProgress'
  if (is('Stalled', 'True')) return 'Failed'
  const ready = conditions.find(({ type }) => type === 'Ready')
  // One that says nothing counts as finished: this is why a default says that nobody looked yet.
  return ready === undefined || ready.status === 'True' ? 'Current' : 'InProgress'
}

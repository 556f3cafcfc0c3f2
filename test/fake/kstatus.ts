type Condition = { readonly type: string; readonly status: string }

/** The fields of any kind that waiting tools read. */
export type WaitableResource = {
  readonly metadata: { readonly generation?: number; readonly deletionTimestamp?: string | undefined }
  readonly status?: {
    readonly observedGeneration?: number | undefined
    readonly conditions?: readonly Condition[] | undefined
  }
}

export type KStatus = 'Current' | 'InProgress' | 'Failed' | 'Terminating'

/**
 * Returns the status that Flux, helm 4 and kpt give a kind unknown to them: the generic rules of kstatus in its order
 * (sigs.k8s.io/cli-utils, pkg/kstatus/README.md, "The Ready condition" and "generic properties").
 */
export function kstatusOf({ metadata, status = {} }: WaitableResource): KStatus {
  const { observedGeneration, conditions = [] } = status
  const is = (type: string, value: string): boolean =>
    conditions.some((condition) => condition.type === type && condition.status === value)
  if (metadata.deletionTimestamp !== undefined) return 'Terminating'
  if (observedGeneration !== undefined && observedGeneration !== metadata.generation) return 'InProgress'
  if (is('Reconciling', 'True')) return 'InProgress'
  if (is('Stalled', 'True')) return 'Failed'
  const ready = conditions.find(({ type }) => type === 'Ready')
  // kstatus treats a missing Ready condition as finished, so our CRDs have a default that says Unknown.
  return ready === undefined || ready.status === 'True' ? 'Current' : 'InProgress'
}

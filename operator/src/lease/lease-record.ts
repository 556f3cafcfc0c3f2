import { numberAt, textAt } from '@llm-gateway/kube'

/** What a Lease says (coordination.k8s.io/v1). */
export type LeaseRecord = {
  /** "": nobody's. */
  readonly holderIdentity: string
  readonly leaseDurationSeconds: number
  /** MicroTime; with the identity it names one leadership. */
  readonly acquireTime: string
  readonly renewTime: string
  readonly leaseTransitions: number
}

export type SeenLease = { readonly record: LeaseRecord; readonly resourceVersion: string }

export function decodeLease(object: unknown): SeenLease {
  return {
    resourceVersion: textAt(object, 'metadata', 'resourceVersion') ?? '',
    record: {
      holderIdentity: textAt(object, 'spec', 'holderIdentity') ?? '',
      leaseDurationSeconds: numberAt(object, 'spec', 'leaseDurationSeconds') ?? 0,
      acquireTime: textAt(object, 'spec', 'acquireTime') ?? '',
      renewTime: textAt(object, 'spec', 'renewTime') ?? '',
      leaseTransitions: numberAt(object, 'spec', 'leaseTransitions') ?? 0,
    },
  }
}

const MICROS = 1_000

/** RFC 3339 with six digits: the API server refuses a MicroTime with other than that. `ms` since 1970, with a fraction. */
export function microTime(ms: number): string {
  const micros = Math.floor((ms % 1) * MICROS)
  return `${new Date(Math.floor(ms)).toISOString().slice(0, -1)}${String(micros).padStart(3, '0')}Z`
}

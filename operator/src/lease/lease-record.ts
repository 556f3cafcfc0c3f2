import { numberAt, textAt } from '@llm-gateway/kube'

/** The spec of a Lease (coordination.k8s.io/v1). */
export type LeaseRecord = {
  /** "": no holder. */
  readonly holderIdentity: string
  readonly leaseDurationSeconds: number
  /** MicroTime; together with the identity it identifies one leadership. */
  readonly acquireTime: string
  readonly renewTime: string
  readonly leaseTransitions: number
}

export type ReadLease = { readonly record: LeaseRecord; readonly resourceVersion: string }

export function decodeLease(object: unknown): ReadLease {
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

/**
 * Formats `ms` since 1970, with a fraction, as RFC 3339 with six digits: the API server refuses a MicroTime with any
 * other number.
 */
export function microTime(ms: number): string {
  const micros = Math.floor((ms % 1) * MICROS)
  return `${new Date(Math.floor(ms)).toISOString().slice(0, -1)}${String(micros).padStart(3, '0')}Z`
}

import type { Component } from '../model/kube-object.ts'

export type Moment = {
  /** Every pod of the gateway runs the template as it is wanted. */
  readonly rolledOut: boolean
  /** For how long it hasn't been wanted, as far as this process has seen. */
  readonly unwantedMs: number
  /** For how long no pod of the gateway has had another configuration than the wanted one; undefined: one may have. */
  readonly releasedMs: number | undefined
}

/**
 * A pod that doesn't report keeps a deleted processor running for this long at most:
 * docs/reference/kubernetes.md#processors.
 */
const LONGEST_KEPT_MS = 60_000
/** A call keeps the configuration that it began with: its body may have been on its way when the last pod reported. */
const CALLS_PASS_MS = 5_000

/** After how many ms what isn't wanted any more may go, nobody who still runs needing it; undefined: something has to happen first. */
export function ripensIn(component: Component, { rolledOut, unwantedMs, releasedMs }: Moment): number | undefined {
  switch (component) {
    case 'gateway':
    case 'sink':
    case 'web':
      return 0
    // Pods of the old template talk on the old bus with its token.
    case 'bus':
      return rolledOut ? 0 : undefined
    // It is called until no pod has its call points.
    case 'processor': {
      const atMost = Math.max(0, LONGEST_KEPT_MS - unwantedMs)
      return releasedMs === undefined ? atMost : Math.min(atMost, Math.max(0, CALLS_PASS_MS - releasedMs))
    }
    default:
      return component satisfies never
  }
}

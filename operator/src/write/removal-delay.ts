import type { Component } from '../model/kube-object.ts'

export type RemovalMoment = {
  /** Every pod of the gateway runs the wanted template. */
  readonly rolledOut: boolean
  /** How long this process has known that the object isn't wanted. */
  readonly unwantedMs: number
  /** How long all pods of the gateway have had the wanted configuration; undefined: some may have another one. */
  readonly releasedMs: number | undefined
}

/**
 * A pod that doesn't report keeps a deleted processor running for this long at most
 * (docs/reference/kubernetes.md#processors).
 */
const LONGEST_KEPT_MS = 60_000
/** A call keeps the configuration that it began with: its body may have been on its way when the last pod reported. */
const CALLS_PASS_MS = 5_000

/**
 * Milliseconds until an object that isn't wanted any more may be removed, since no running pod needs it then. Undefined: a
 * rollout has to end first.
 */
export function removalDelayMs(
  component: Component,
  { rolledOut, unwantedMs, releasedMs }: RemovalMoment,
): number | undefined {
  switch (component) {
    case 'gateway':
    case 'sink':
    case 'web':
      return 0
    // Pods of the old template use the old bus and its token.
    case 'bus':
      return rolledOut ? 0 : undefined
    // The gateway's pods call a processor until none of them has its call points.
    case 'processor': {
      const atMost = Math.max(0, LONGEST_KEPT_MS - unwantedMs)
      return releasedMs === undefined ? atMost : Math.min(atMost, Math.max(0, CALLS_PASS_MS - releasedMs))
    }
    default:
      return component satisfies never
  }
}

import type { Component } from '../model/kube-object.ts'

export type RemovalFacts = {
  /** True when every pod of the gateway runs the wanted template. */
  readonly rolledOut: boolean
  /** The ms since this process found the object unwanted. */
  readonly unwantedMs: number
  /**
   * The ms since all pods of the gateway have the wanted configuration; undefined: some may have another configuration.
   */
  readonly releasedMs: number | undefined
}

/** The longest time that a silent pod keeps a deleted processor running (docs/reference/kubernetes.md#processors). */
const LONGEST_KEPT_MS = 60_000
/**
 * A call keeps the configuration with which it began. Its body may still have been arriving when the last pod reported.
 */
const CALLS_PASS_MS = 5_000

/**
 * Returns the ms until no running pod needs an unwanted object and it may be deleted; undefined: a rollout has to end
 * first.
 */
export function removalDelayMs(
  component: Component,
  { rolledOut, unwantedMs, releasedMs }: RemovalFacts,
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

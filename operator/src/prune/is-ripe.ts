import type { Component } from '../translate/kube-object.ts'

export type Moment = {
  /** Every pod of the gateway runs the template as it is wanted. */
  readonly rolledOut: boolean
  /** Every pod of the gateway has reported the configuration as it is wanted. */
  readonly settled: boolean
  /** For how long it hasn't been wanted, as far as this process has seen. */
  readonly unwantedMs: number
}

/** A pod that doesn't report keeps no processor alive for longer than this (kubernetes, 2.6). */
export const LONGEST_KEPT_MS = 60_000

/** Whether what isn't wanted any more may go: nobody who still runs needs it. */
export function isRipe(component: Component, { rolledOut, settled, unwantedMs }: Moment): boolean {
  switch (component) {
    case 'gateway':
    case 'sink':
      return true
    // Pods of the old template talk on the old bus with its token.
    case 'bus':
      return rolledOut
    // It is called until no pod has its call points.
    case 'processor':
      return settled || unwantedMs >= LONGEST_KEPT_MS
    default:
      return component satisfies never
  }
}

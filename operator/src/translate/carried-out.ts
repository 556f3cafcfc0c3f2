import type { ConditionFrame, Verdict } from './set-condition.ts'

export type CarriedOut = {
  /** The generation that was judged now. */
  readonly generation: number
  readonly ready: Verdict
  readonly programmed: Verdict
  /** The pods run all of this generation. */
  readonly whole: boolean
}

/**
 * status.observedGeneration: the newest generation that was carried out. Tools that wait for any kind (kstatus) take a resource
 * for finished once it is Ready in its newest generation. So this waits for Programmed's verdict, and, where pods serve on with
 * the previous configuration, until they have the edit. It doesn't depend on earlier statuses: an operator that takes over
 * comes to the same result.
 */
export function observedGeneration(facts: CarriedOut): { readonly observedGeneration: number } {
  const { generation, ready, programmed, whole } = facts
  const isSaid = ready.status === 'True' ? whole && programmed.status === 'True' : programmed.reason !== 'Pending'
  return { observedGeneration: isSaid ? generation : generation - 1 }
}

/** Pods that serve on with what they had are Ready in the generation of that: who waits for the condition waits for the edit. */
export function readyFrame(
  frame: ConditionFrame,
  ready: Verdict,
  { observedGeneration: observed = 0 }: { readonly observedGeneration?: number | undefined },
): ConditionFrame {
  return ready.status === 'True' ? { ...frame, generation: Math.max(0, observed) } : frame
}

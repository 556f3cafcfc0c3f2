import type { ConditionFrame, Verdict } from './set-condition.ts'

export type GenerationFacts = {
  /** The generation that this pass judged. */
  readonly generation: number
  readonly ready: Verdict
  readonly programmed: Verdict
  /** True when the pods run all of this generation. */
  readonly whole: boolean
}

/**
 * Returns status.observedGeneration, the newest generation that was carried out. Tools without rules for a kind,
 * such as kstatus, take a resource for finished once it is Ready in its newest generation. So the value waits for
 * Programmed's verdict, and for the edit to reach pods that still serve with the previous configuration. The value
 * doesn't depend on earlier statuses: an operator that takes over comes to the same result.
 */
export function observedGeneration(facts: GenerationFacts): { readonly observedGeneration: number } {
  const { generation, ready, programmed, whole } = facts
  const isCarriedOut = ready.status === 'True' ? whole && programmed.status === 'True' : programmed.reason !== 'Pending'
  return { observedGeneration: isCarriedOut ? generation : generation - 1 }
}

/**
 * Returns the frame of Ready. Pods that still serve an older generation are Ready in that generation, so tools that
 * wait for Ready wait for the edit.
 */
export function readyFrame(
  frame: ConditionFrame,
  ready: Verdict,
  { observedGeneration: observed = 0 }: { readonly observedGeneration?: number | undefined },
): ConditionFrame {
  return ready.status === 'True' ? { ...frame, generation: Math.max(0, observed) } : frame
}

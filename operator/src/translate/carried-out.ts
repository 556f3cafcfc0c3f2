import type { ConditionFrame, Verdict } from './set-condition.ts'

export type CarriedOut = {
  /** The one that was judged now. */
  readonly generation: number
  readonly ready: Verdict
  readonly programmed: Verdict
  /** Nothing of it is still to come: what runs is what the spec says. */
  readonly whole: boolean
}

/**
 * status.observedGeneration: how far edits were carried out. Tools that wait for any kind (kstatus) take a resource for finished
 * that is Ready in its newest generation, so this waits for Programmed's verdict, and where pods serve on with what they had
 * until they have the edit. What is so depends on nothing that was said before: who takes over says the same.
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

import type { Condition, MaybeUnreadable } from '@llm-gateway/crds'

export type Verdict<Reason extends string = string> = {
  readonly status: Condition['status']
  readonly reason: Reason
  readonly message: string
}

const MAX_CHARACTERS = 256

/** The parts of a condition that don't depend on its verdict: the resource and the clock. */
export type ConditionFrame = {
  readonly previous: readonly Condition[] | undefined
  readonly generation: number
  readonly now: string
  /** True: a new message alone rewrites the condition; unset: see conditionOf. */
  readonly rewords?: boolean
}

type Framed = MaybeUnreadable & {
  readonly metadata: { readonly generation: number }
  readonly status: { readonly conditions?: readonly Condition[] | undefined }
}

/** Returns a resource's frame. Its generation is the stored generation, even while an older spec goes on. */
export function frameOf({ metadata, status, unreadable }: Framed, now: string): ConditionFrame {
  return { previous: status.conditions, generation: unreadable?.generation ?? metadata.generation, now }
}

/**
 * Makes a condition of a resource. Its time moves only with its status. A True condition isn't rewritten for a new
 * message alone, since pods that come and go would rewrite every Router.
 */
export function conditionOf(type: string, { status, reason, message }: Verdict, frame: ConditionFrame): Condition {
  const before = frame.previous?.find((condition) => condition.type === type)
  const same = before?.status === status && before.reason === reason && before.observedGeneration === frame.generation
  if (before !== undefined && same && status === 'True' && frame.rewords !== true) return before
  return {
    type,
    status,
    reason,
    message: shortened(message),
    observedGeneration: frame.generation,
    lastTransitionTime: before?.status === status ? before.lastTransitionTime : frame.now,
  }
}

/** Cuts a text to the length that the texts of a status may have. */
export function shortened(text: string): string {
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS - 1)}…` : text
}

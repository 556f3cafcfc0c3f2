import type { Condition, MaybeUnreadable } from '@llm-gateway/crds'

export type Verdict<Reason extends string = string> = {
  readonly status: Condition['status']
  readonly reason: Reason
  readonly message: string
}

const MOST_CHARACTERS = 256

/** What doesn't change with a verdict: the resource and the clock. */
export type ConditionFrame = {
  readonly previous: readonly Condition[] | undefined
  readonly generation: number
  readonly now: string
  /** The message follows what is true; unset: see conditionOf. */
  readonly rewords?: boolean
}

type Framed = MaybeUnreadable & {
  readonly metadata: { readonly generation: number }
  readonly status: { readonly conditions?: readonly Condition[] | undefined }
}

/** The generation is the stored one, also where the spec of an older one goes on. */
export function frameOf({ metadata, status, unreadable }: Framed, now: string): ConditionFrame {
  return { previous: status.conditions, generation: unreadable?.generation ?? metadata.generation, now }
}

/**
 * A condition of a resource. Its time moves with its status only. A True one isn't written anew while nothing but its
 * message would change, since pods that come and go would rewrite every Router.
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
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS - 1)}…` : text
}

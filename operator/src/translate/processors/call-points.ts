import { CALL_POINT_DEFAULTS, type CallPoint, type Processor, type WholeCallPoint } from '@llm-gateway/crds'

export type Phase = 'request' | 'response'

/** Returns a call point with defaults filled in; undefined: the Processor isn't called in that phase. */
export function callPointOf({ spec }: Processor, phase: Phase): WholeCallPoint | undefined {
  const own = spec[phase]
  const byType = CALL_POINT_DEFAULTS[spec.type][phase]
  // A Custom Processor has only the call points that it names.
  if (byType === undefined || (spec.type === 'Custom' && own === undefined)) return undefined
  return { ...byType, ...writtenFields(own) }
}

export function callPointsOf(processor: Processor): readonly (readonly [Phase, WholeCallPoint])[] {
  return PHASES.flatMap((phase): [Phase, WholeCallPoint][] => {
    const point = callPointOf(processor, phase)
    return point === undefined ? [] : [[phase, point]]
  })
}

const PHASES = ['request', 'response'] as const

export function isRequired(processor: Processor): boolean {
  return callPointsOf(processor).some(([, point]) => point.required)
}

/** Returns the written fields of a call point; `rerouteTo` has no default and isn't part of a WholeCallPoint. */
function writtenFields({ rerouteTo: _, ...own }: CallPoint = {}): Partial<WholeCallPoint> {
  return Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined))
}

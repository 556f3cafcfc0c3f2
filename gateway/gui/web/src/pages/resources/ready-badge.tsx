import type { ResourceSummary } from '@llm-gateway/gui-api'
import { texts } from '../../texts.ts'
import { Badge } from '../../ui/badge.tsx'
import type { Tone } from '../../ui/notice.tsx'

export const CONDITION_TONES: Readonly<Record<ResourceSummary['ready'], Tone | undefined>> = {
  True: 'good',
  False: 'bad',
  Unknown: undefined,
}

/** Shows a resource's readiness in one word: `ready`, or the reason why not. */
export function ReadyBadge({ ready, reason }: Pick<ResourceSummary, 'ready' | 'reason'>) {
  const word = ready === 'True' ? texts.resources.ready : reason === '' ? texts.resources.notLooked : reason
  return <Badge tone={CONDITION_TONES[ready]}>{word}</Badge>
}

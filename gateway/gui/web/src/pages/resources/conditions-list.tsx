import type { ResourceCondition, ResourceKind } from '@llm-gateway/gui-api'
import { texts } from '../../texts.ts'
import { Badge } from '../../ui/badge.tsx'
import { CONDITION_TONES } from './ready-badge.tsx'

export type ConditionsListProps = {
  readonly kind: ResourceKind
  readonly conditions: readonly ResourceCondition[]
  /** The resource's current generation; undefined for a draft. */
  readonly generation?: number
}

/** Shows conditions as sentences, in the order in which a resource passes them. */
export function ConditionsList({ kind, conditions, generation }: ConditionsListProps) {
  const names = texts.conditions
  const ordered = conditions.toSorted((one, other) => place(one) - place(other))
  return (
    <ul className="plain conditions">
      {ordered.map(({ type, status, reason, message, observed_generation: observed, since }, at) => (
        <li key={type}>
          <Badge tone={CONDITION_TONES[status]}>{type}</Badge>
          <div>
            <p>{names.sentence(kind, type, status)}</p>
            {status === 'True' && (message === '' || type !== 'Programmed') ? null : isRepeated(ordered, at) ? null : (
              <p className="soft">
                {status === 'True' ? null : <span className="mono">{reason}</span>} {message}
              </p>
            )}
            {generation !== undefined && observed !== null && observed < generation ? (
              <p className="soft">{names.earlier}</p>
            ) : null}
            {since === null || status === 'True' || isRepeated(ordered, at) ? null : (
              <p className="soft">{names.since(texts.dateTime(since))}</p>
            )}
          </div>
        </li>
      ))}
    </ul>
  )
}

/**
 * Returns whether an earlier condition has the same reason and message: one failure often makes later conditions False.
 */
function isRepeated(ordered: readonly ResourceCondition[], at: number): boolean {
  const own = ordered[at]
  return ordered.slice(0, at).some(({ reason, message }) => reason === own?.reason && message === own.message)
}

const ORDER = ['Accepted', 'ResolvedRefs', 'Programmed', 'RecordsDurable', 'Ready']

function place({ type }: ResourceCondition): number {
  const at = ORDER.indexOf(type)
  return at === -1 ? ORDER.length : at
}

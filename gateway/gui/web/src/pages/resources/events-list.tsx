import type { ResourceEvent } from '@llm-gateway/gui-api'
import { texts } from '../../texts.ts'
import { Badge } from '../../ui/badge.tsx'

const SHOWN = 8

/** Lists the events of a resource, newest first. */
export function EventsList({ events }: { readonly events: readonly ResourceEvent[] }) {
  if (events.length === 0) return <p className="soft">{texts.resource.noEvents}</p>
  return (
    <ul className="plain">
      {events.slice(0, SHOWN).map(({ type, reason, message, count, time, source }) => (
        <li key={`${time} ${reason} ${message}`} className="event">
          <div className="row">
            <Badge tone={type === 'Warning' ? 'warn' : undefined}>{reason}</Badge>
            <span className="soft number">{time === null ? '' : texts.dateTime(time)}</span>
            {count > 1 ? <span className="soft">{texts.resource.times(count)}</span> : null}
            <span className="soft">{source}</span>
          </div>
          <p>{message}</p>
        </li>
      ))}
    </ul>
  )
}

import type { Resource } from '@llm-gateway/gui-api'
import { texts } from '../../texts.ts'
import { ConditionsList } from './conditions-list.tsx'
import { EventsList } from './events-list.tsx'

/** Shows a stored resource's conditions, rejected fields and events. */
export function StatusCards({ resource }: { readonly resource: Resource }) {
  const { kind, conditions, generation, events, rejected_fields: rejected } = resource
  const names = texts.resource
  return (
    <div className="columns status-columns">
      <section className="card stack tight">
        <h2>{names.status}</h2>
        {conditions.length === 0 ? <p className="soft">{names.noConditions}</p> : null}
        <ConditionsList kind={kind} conditions={conditions} generation={generation} />
        {rejected.map(({ field, reason }) => (
          <p key={field} className="reason required">
            <span className="mono">{field}</span> {reason}
          </p>
        ))}
      </section>
      <section className="card stack tight">
        <h2>{names.facts}</h2>
        <Facts resource={resource} />
        <h3>{names.events}</h3>
        <EventsList events={events} />
      </section>
    </div>
  )
}

function Facts({ resource }: { readonly resource: Resource }) {
  const names = texts.resource.factNames
  const { url, path, type, created, managed_by: managers } = resource
  const facts = [
    [names.url, url],
    [names.path, url === null ? path : undefined],
    [names.type, type],
    [names.managers, managers.join(', ')],
    [names.created, texts.dateTime(created)],
  ] as const
  return (
    <dl className="facts">
      {facts.map(([name, value]) =>
        value === undefined || value === null || value === '' ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  )
}

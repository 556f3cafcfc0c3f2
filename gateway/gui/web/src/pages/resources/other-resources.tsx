import type { ResourceCheck } from '@llm-gateway/gui-api'
import { texts } from '../../texts.ts'
import { ReadyBadge } from './ready-badge.tsx'
import { ResourceLink } from './resource-link.tsx'

/** Lists other resources that a change would break or repair. */
export function OtherResources({ others }: Pick<ResourceCheck, 'others'>) {
  if (others.length === 0) return null
  return (
    <section className="card stack tight">
      <h3>{texts.verdict.others}</h3>
      <ul className="plain">
        {others.map(({ kind, namespace, name, after, reason, message }) => (
          <li key={`${kind} ${namespace}/${name}`}>
            <div className="row between">
              <span>
                {kind} <ResourceLink place={{ kind, namespace, name }} />
              </span>
              <ReadyBadge ready={after} reason={reason} />
            </div>
            {after === 'True' ? null : <p className="soft">{message}</p>}
          </li>
        ))}
      </ul>
    </section>
  )
}

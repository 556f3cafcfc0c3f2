import { Link } from '@tanstack/react-router'
import type { ResourcePlace } from '../../api/resource-queries.ts'

/** Links a resource's name to its page. */
export function ResourceLink({ place: { kind, namespace, name } }: { readonly place: ResourcePlace }) {
  const text = (
    <>
      <span className="soft">{namespace}/</span>
      {name}
    </>
  )
  if (kind === 'LLMGateway')
    return (
      <Link to="/gateway" className="name">
        {text}
      </Link>
    )
  const to = kind === 'Router' ? '/routers/$namespace/$name' : '/processors/$namespace/$name'
  return (
    <Link to={to} params={{ namespace, name }} className="name">
      {text}
    </Link>
  )
}

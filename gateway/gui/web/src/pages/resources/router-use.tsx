import type { Resource } from '@llm-gateway/gui-api'
import { useQuery } from '@tanstack/react-query'
import { routersQuery } from '../../api/queries.ts'
import { texts } from '../../texts.ts'
import { Snippets } from '../routers/snippets.tsx'

/** Shows how programs in the cluster call a Router, ready to copy. */
export function RouterUse({ resource: { url, path = '' } }: { readonly resource: Resource }) {
  const { data } = useQuery(routersQuery)
  const router = data?.routers.find((one) => one.path === path)
  if (router === undefined || url === null || !url.endsWith(path)) return null
  return (
    <details className="card">
      <summary>{texts.resource.use}</summary>
      <Snippets
        base={url.slice(0, url.length - path.length)}
        path={path}
        endpoint={router.endpoint}
        headers={router.caller_headers}
      />
    </details>
  )
}

import type { Resource } from '@llm-gateway/gui-api'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { type ResourcePlace, resourceQuery, useShownGateway } from '../../api/resource-queries.ts'
import { texts } from '../../texts.ts'
import { Failure } from '../../ui/failure.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { DeleteResource } from './delete-resource.tsx'
import { type GatewayName, useDraft } from './drafts.ts'
import { ManifestEditor } from './manifest-editor.tsx'
import { ReadyBadge } from './ready-badge.tsx'
import { RouterUse } from './router-use.tsx'
import { StatusCards } from './status-cards.tsx'

export function RouterPage() {
  const { namespace, name } = useParams({ from: '/routers/$namespace/$name' })
  return <ResourcePage key={`${namespace}/${name}`} place={{ kind: 'Router', namespace, name }} />
}

export function ProcessorPage() {
  const { namespace, name } = useParams({ from: '/processors/$namespace/$name' })
  return <ResourcePage key={`${namespace}/${name}`} place={{ kind: 'Processor', namespace, name }} />
}

/** Shows a resource: its conditions, its events and its manifest. */
function ResourcePage({ place }: { readonly place: ResourcePlace }) {
  const gateway = useShownGateway()
  const { data, error, refetch } = useQuery(resourceQuery(place))
  if (error !== null && data === undefined) return <Failure error={error} retry={() => void refetch()} />
  if (gateway === undefined || data === undefined) return <PageHead title={place.name} />
  const stored = data ?? undefined
  return (
    <>
      <Head place={place} stored={stored} />
      {error === null ? null : <Failure error={error} retry={() => void refetch()} />}
      {stored === undefined ? <NotStored gateway={gateway} place={place} /> : <StatusCards resource={stored} />}
      {stored?.kind === 'Router' ? <RouterUse resource={stored} /> : null}
      <ManifestEditor gateway={gateway} place={place} stored={stored} />
    </>
  )
}

function Head({ place, stored }: { readonly place: ResourcePlace; readonly stored: Resource | undefined }) {
  const isUsable = stored?.kind === 'Router' && stored.ready === 'True' && stored.path !== undefined
  return (
    <PageHead
      title={place.name}
      note={
        <>
          {stored === undefined ? null : <ReadyBadge ready={stored.ready} reason={stored.reason} />}{' '}
          {texts.resource.in(place.kind, place.namespace)}
        </>
      }
    >
      {isUsable ? (
        <Link to="/try" search={{ router: stored.path ?? '' }} className="button">
          {texts.routers.try}
        </Link>
      ) : null}
      {stored?.editable === true ? <DeleteResource resource={stored} /> : null}
    </PageHead>
  )
}

function NotStored({ gateway, place }: { readonly gateway: GatewayName; readonly place: ResourcePlace }) {
  const { draft } = useDraft(gateway, place)
  if (draft !== undefined) return null
  return (
    <div className="empty">
      <h2>{texts.resource.gone(place.kind)}</h2>
      <p>{texts.resource.goneText}</p>
      <Link to={place.kind === 'Router' ? '/routers' : '/processors'} className="button">
        {texts.resources.titles[place.kind]}
      </Link>
    </div>
  )
}

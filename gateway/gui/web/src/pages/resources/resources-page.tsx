import type { ResourceSummary, Resources } from '@llm-gateway/gui-api'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { type ResourcePlace, resourcesQuery, useShownGateway } from '../../api/resource-queries.ts'
import { texts } from '../../texts.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Choice } from '../../ui/choice.tsx'
import { CommandLine } from '../../ui/command-line.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { TextInput } from '../../ui/text-input.tsx'
import { type GatewayName, useDraftPlaces } from './drafts.ts'
import { ReadyBadge } from './ready-badge.tsx'
import { ResourceLink } from './resource-link.tsx'

const names = texts.resources
const STEP = 200
const READY = ['any', 'True', 'False', 'Unknown'] as const

export function RoutersPage() {
  return <ResourcesPage kind="Router" />
}

export function ProcessorsPage() {
  return <ResourcesPage kind="Processor" />
}

type ListedKind = 'Router' | 'Processor'

function ResourcesPage({ kind }: { readonly kind: ListedKind }) {
  const gateway = useShownGateway()
  return gateway === undefined ? (
    <PageHead title={names.titles[kind]} />
  ) : (
    <ResourceList kind={kind} gateway={gateway} />
  )
}

/** Lists this gateway's resources of a kind with their states, and this browser's drafts. */
function ResourceList({ kind, gateway }: { readonly kind: ListedKind; readonly gateway: GatewayName }) {
  const [text, setText] = useState('')
  const [ready, setReady] = useState<(typeof READY)[number]>('any')
  const [limit, setLimit] = useState(STEP)
  const wanted = {
    kind,
    limit,
    ...(text.trim() === '' ? {} : { text: text.trim() }),
    ...(ready === 'any' ? {} : { ready }),
  }
  const { data, error, refetch } = useQuery(resourcesQuery(wanted))
  const drafts = useDraftPlaces(gateway, kind)
  const total = data?.counts.find((one) => one.kind === kind)?.total ?? 0
  const found = data?.resources ?? []
  const isWhole = data !== undefined && data.next === null && wanted.text === undefined && ready === 'any'
  return (
    <>
      <PageHead title={names.titles[kind]} note={data === undefined ? undefined : names.count(total)}>
        <Link to={kind === 'Router' ? '/routers/add' : '/processors/add'} className="button primary">
          {names.add[kind]}
        </Link>
      </PageHead>
      {error === null ? null : <Failure error={error} retry={() => void refetch()} />}
      <div className="list-filters">
        <TextInput
          label={names.search}
          hideLabel
          placeholder={names.search}
          value={text}
          onChange={setText}
          type="search"
        />
        <Choice
          label={names.readyFilter}
          hideLabel
          value={ready}
          options={READY.map((id) => ({ id, name: names.readyFilters[id] }))}
          onChange={setReady}
        />
      </div>
      <Unreadable entries={data?.unreadable ?? []} />
      {isWhole ? <OnlyHere places={drafts.filter((place) => !isStored(found, place))} /> : null}
      {data !== undefined && found.length === 0 && total > 0 ? <p className="soft">{names.noneFound}</p> : null}
      {found.length === 0 ? null : (
        <ul className="list">
          {found.map((resource) => (
            <ResourceLine
              key={`${resource.namespace}/${resource.name}`}
              resource={resource}
              isChanged={drafts.some((place) => isStored([resource], place))}
            />
          ))}
        </ul>
      )}
      {typeof data?.next === 'string' ? (
        <div className="row">
          <Button onPress={() => setLimit(limit + STEP)}>{names.more}</Button>
          <span className="soft">{names.shown(found.length, data.total)}</span>
        </div>
      ) : null}
      {data !== undefined && total === 0 ? <NoneYet kind={kind} /> : null}
    </>
  )
}

function isStored(resources: readonly ResourceSummary[], { namespace, name }: ResourcePlace): boolean {
  return resources.some((one) => one.namespace === namespace && one.name === name)
}

function ResourceLine({ resource, isChanged }: { readonly resource: ResourceSummary; readonly isChanged: boolean }) {
  const { kind, namespace, name, path, type, ready, reason, message, managed_by: managers } = resource
  return (
    <li>
      <div className="what">
        <div className="row">
          <ResourceLink place={{ kind, namespace, name }} />
          <ReadyBadge ready={ready} reason={reason} />
          {isChanged ? <Badge tone="accent">{names.changedHere}</Badge> : null}
        </div>
        <p className="soft">{ready === 'True' ? names.about(path ?? type ?? '', managers) : message}</p>
      </div>
      {kind === 'Router' && ready === 'True' && path !== undefined ? (
        <Link to="/try" search={{ router: path }} className="button small">
          {texts.routers.try}
        </Link>
      ) : null}
    </li>
  )
}

/** Shows the kinds that this account may not read, with the command that grants the right. */
function Unreadable({ entries }: { readonly entries: Resources['unreadable'] }) {
  return entries.map(({ namespace, kind, why, command }) => (
    <Notice key={`${namespace} ${kind}`} tone="warn" title={names.unreadable(kind, namespace)}>
      <div className="stack tight">
        <p>{why}</p>
        {command === null ? null : <CommandLine command={command} />}
      </div>
    </Notice>
  ))
}

function OnlyHere({ places }: { readonly places: readonly ResourcePlace[] }) {
  if (places.length === 0) return null
  return (
    <section className="stack tight">
      <h2>{names.onlyHere}</h2>
      <ul className="list">
        {places.map((place) => (
          <li key={`${place.namespace}/${place.name}`}>
            <div className="what row">
              <ResourceLink place={place} />
              <Badge tone="accent">{names.draft}</Badge>
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}

function NoneYet({ kind }: { readonly kind: ListedKind }) {
  const { title, text } = names.empty[kind]
  return (
    <div className="empty">
      <h2>{title}</h2>
      <p>{text}</p>
      <Link to={kind === 'Router' ? '/routers/add' : '/processors/add'} className="button">
        {names.addFirst[kind]}
      </Link>
    </div>
  )
}

import type { Router } from '@llm-gateway/gui-api'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { routersQuery } from '../../api/queries.ts'
import { useFile } from '../../api/use-file.ts'
import { elementsOf, valueAt } from '../../json-value.ts'
import { texts } from '../../texts.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Question } from '../../ui/question.tsx'
import { TextInput } from '../../ui/text-input.tsx'
import { Toggle } from '../../ui/toggle.tsx'
import { freePath } from './free-path.ts'
import { type RouterPlace, routerPlace } from './router-place.ts'
import { routerState } from './router-state.ts'

/** Lists all routers, with a search by path or address. */
export function RoutersPage() {
  const [search, setSearch] = useState('')
  const { data, error, refetch } = useQuery(routersQuery)
  const routers = data?.routers ?? []
  const wanted = search.trim().toLowerCase()
  const found = routers.filter(({ path, url }) => `${path} ${url}`.toLowerCase().includes(wanted))
  const names = texts.routers
  return (
    <>
      <PageHead title={texts.nav.routers} note={data === undefined ? undefined : names.count(routers.length)}>
        <Link to="/routers/add" className="button primary">
          {names.add}
        </Link>
      </PageHead>
      {error === null ? null : <Failure error={error} retry={() => void refetch()} />}
      <TextInput
        label={names.search}
        hideLabel
        placeholder={names.search}
        value={search}
        onChange={setSearch}
        type="search"
      />
      {data !== undefined && found.length === 0 ? <p className="soft">{names.noneFound}</p> : null}
      {found.length === 0 ? null : (
        <ul className="list">
          {found.map((router) => (
            <RouterLine
              key={`${router.index} ${router.path}`}
              router={router}
              place={routerPlace(routers, routers.indexOf(router))}
            />
          ))}
        </ul>
      )}
      {data !== undefined && data.removed.length > 0 ? <p className="soft">{names.removed(data.removed)}</p> : null}
      {routers.some(({ url }) => url !== '' && !url.startsWith('https://localhost')) || data === undefined ? null : (
        <NoneYet />
      )}
    </>
  )
}

function NoneYet() {
  return (
    <div className="empty">
      <h2>{texts.routers.empty.title}</h2>
      <p>{texts.routers.empty.text}</p>
      <Link to="/routers/add" className="button">
        {texts.routers.empty.action}
      </Link>
    </div>
  )
}

function RouterLine({ router, place }: { readonly router: Router; readonly place: RouterPlace }) {
  const { index, path, url, fields } = router
  const { word, tone } = routerState(router)
  return (
    <li>
      <div className="what">
        <div className="row">
          {index === null ? (
            <span className="name">{path}</span>
          ) : (
            <Link to="/routers/edit" search={place} className="name">
              {path}
            </Link>
          )}
          <Badge tone={tone}>{word}</Badge>
          {router.deployed === 'changed' || router.deployed === 'new' ? (
            <Badge tone="accent">{texts.routers.deployed[router.deployed]}</Badge>
          ) : null}
        </div>
        <p className="soft">{fields[0]?.message ?? (index === null ? texts.routers.builtIn : url)}</p>
      </div>
      {router.state === 'active' ? (
        <Link to="/try" search={{ router: path }} className="button small">
          {texts.routers.try}
        </Link>
      ) : null}
      {index === null ? null : <RouterActions router={router} index={index} />}
    </li>
  )
}

function RouterActions({ router, index }: { readonly router: Router; readonly index: number }) {
  const { editor, value } = useFile('gl_config.json')
  const navigate = useNavigate()
  const entries = elementsOf(valueAt(value, ['routers']))
  // A click before the file is loaded would be lost.
  const isLoading = value === undefined
  const copy = async (): Promise<void> => {
    const path = freePath(router.path, entries)
    const entry = entries[index]
    if (typeof entry !== 'object' || entry === null) return
    const copied = { ...entry, path }
    editor.edit({ op: 'insert', path: ['routers', entries.length], value: copied, copied_from: ['routers', index] })
    await editor.flush()
    await navigate({ to: '/routers/edit', search: { path } })
  }
  const remove = (): void => {
    editor.edit({ op: 'remove', path: ['routers', index] })
    void editor.flush()
  }
  const names = texts.routers
  return (
    <>
      <Toggle
        isDisabled={isLoading}
        isSelected={!router.disabled}
        onChange={(on) => {
          editor.edit(
            on
              ? { op: 'remove', path: ['routers', index, 'disabled'] }
              : { op: 'set', path: ['routers', index, 'disabled'], value: true },
          )
          void editor.flush()
        }}
      >
        <span className="visually-hidden">{names.on(router.path)}</span>
      </Toggle>
      <Button small isDisabled={isLoading} aria-label={names.copyName(router.path)} onPress={() => void copy()}>
        {names.copy}
      </Button>
      <Question
        trigger={
          <Button small look="quiet" isDisabled={isLoading} aria-label={names.removeName(router.path)}>
            {names.remove}
          </Button>
        }
        title={names.removeTitle(router.path)}
        confirm={{ label: names.remove, danger: true, onPress: remove }}
      >
        <p>{names.removeText}</p>
      </Question>
    </>
  )
}

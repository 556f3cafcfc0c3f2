import type { Edition } from '@llm-gateway/gui-api'
import { useQueryClient } from '@tanstack/react-query'
import { Link, useRouterState } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { sessionQuery } from '../api/queries.ts'
import { request } from '../api/request.ts'
import { forgetPending } from '../api/use-file.ts'
import { texts } from '../texts.ts'
import { chooseTheme, type Theme, useTheme } from '../theme.ts'
import { Button } from '../ui/button.tsx'
import { Choice } from '../ui/choice.tsx'

const PAGES = {
  standalone: [
    { to: '/', name: texts.nav.overview },
    { to: '/routers', name: texts.nav.routers },
    { to: '/processors', name: texts.nav.processors },
    { to: '/transactions', name: texts.nav.transactions },
    { to: '/try', name: texts.nav.try },
    { to: '/changes', name: texts.nav.changes },
    { to: '/settings', name: texts.nav.settings },
  ],
  kubernetes: [
    { to: '/', name: texts.nav.overview },
    { to: '/routers', name: texts.nav.routers },
    { to: '/processors', name: texts.nav.processors },
    { to: '/gateway', name: texts.nav.gateway },
    { to: '/transactions', name: texts.nav.transactions },
    { to: '/try', name: texts.nav.try },
  ],
} as const

const THEMES: readonly { readonly id: Theme; readonly name: string }[] = [
  { id: 'system', name: texts.theme.system },
  { id: 'light', name: texts.theme.light },
  { id: 'dark', name: texts.theme.dark },
]

/** Shows the navigation, the theme and the logout; on a phone behind a button. */
export function Navigation({ name, edition }: { readonly name: string; readonly edition: Edition }) {
  const client = useQueryClient()
  const [open, setOpen] = useState(false)
  const { chosen } = useTheme()
  const address = useRouterState({ select: ({ location }) => location.pathname })
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page closes the menu
  useEffect(() => setOpen(false), [address])
  const logOut = async (): Promise<void> => {
    const session = await request('logout').catch(() => undefined)
    client.clear()
    forgetPending(client)
    if (session === undefined) await client.invalidateQueries()
    else client.setQueryData(sessionQuery.queryKey, session)
  }
  return (
    <div className={open ? 'side open' : 'side'}>
      <Link to="/" className="brand">
        <img src="/icon.svg" alt="" width="24" height="24" />
        {texts.product}
      </Link>
      <Button className="menu-button" small aria-expanded={open} onPress={() => setOpen(!open)}>
        {texts.nav.menu}
      </Button>
      <nav className="nav" aria-label={texts.nav.label}>
        {PAGES[edition].map(({ to, name: page }) => (
          <Link key={to} to={to} activeProps={{ className: 'active' }} activeOptions={{ exact: to === '/' }}>
            {page}
          </Link>
        ))}
      </nav>
      <div className="side-end">
        <Choice label={texts.theme.label} hideLabel value={chosen} options={THEMES} onChange={chooseTheme} />
        <Button look="quiet" onPress={() => void logOut()}>
          {name === '' ? texts.nav.logOut : texts.nav.logOutName(name)}
        </Button>
      </div>
    </div>
  )
}

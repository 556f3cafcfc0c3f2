import type { Edition } from '@llm-gateway/gui-api'
import { useQuery } from '@tanstack/react-query'
import { type FunctionComponent, lazy, Suspense } from 'react'
import { sessionQuery } from './api/queries.ts'
import { NotFound } from './pages/not-found.tsx'
import { texts } from './texts.ts'

// A chunk of its own, so that the standalone edition never loads it.
const resourcePages = () => import('./pages/resources/resource-pages.ts')

type ResourcePageName = keyof Awaited<ReturnType<typeof resourcePages>>

/** Returns a page that only the Kubernetes edition has. The page is loaded when it is opened. */
export function resourcePage(name: ResourcePageName): FunctionComponent {
  const Page = lazy(async () => ({ default: (await resourcePages())[name] }))
  return () => (
    <Suspense fallback={<p className="soft">{texts.loading}</p>}>
      <Page />
    </Suspense>
  )
}

/** Returns the page of an address in the current edition, or NotFound if the edition has none. */
export function byEdition(pages: Partial<Readonly<Record<Edition, FunctionComponent>>>): FunctionComponent {
  return () => {
    const { data: session } = useQuery(sessionQuery)
    const Page = session === undefined ? undefined : pages[session.edition]
    return Page === undefined ? <NotFound /> : <Page />
  }
}

import { createRootRoute, createRoute, createRouter, redirect } from '@tanstack/react-router'
import { fileNames } from './api/file-names.ts'
import { App } from './app.tsx'
import { byEdition, resourcePage } from './by-edition.tsx'
import { textOf } from './json-value.ts'
import { ChangesPage } from './pages/changes/changes-page.tsx'
import { NotFound } from './pages/not-found.tsx'
import { OverviewPage } from './pages/overview/overview-page.tsx'
import { ProcessorsPage } from './pages/processors/processors-page.tsx'
import { AddRouterPage } from './pages/routers/add-router-page.tsx'
import { RouterPage } from './pages/routers/router-page.tsx'
import { readRouterPlace } from './pages/routers/router-place.ts'
import { RoutersPage } from './pages/routers/routers-page.tsx'
import { SettingsPage } from './pages/settings/settings-page.tsx'
import { RecordPage } from './pages/transactions/record-page.tsx'
import { readSearch } from './pages/transactions/transaction-search.ts'
import { TransactionsPage } from './pages/transactions/transactions-page.tsx'
import { TryPage } from './pages/try/try-page.tsx'
import { Failure } from './ui/failure.tsx'

const root = createRootRoute({ component: App, notFoundComponent: NotFound })
const childOfRoot = { getParentRoute: () => root }

const routes = [
  createRoute({ ...childOfRoot, path: '/', component: OverviewPage }),
  createRoute({
    ...childOfRoot,
    path: '/login',
    beforeLoad: () => {
      throw redirect({ to: '/' })
    },
  }),
  createRoute({
    ...childOfRoot,
    path: '/routers',
    component: byEdition({ standalone: RoutersPage, kubernetes: resourcePage('RoutersPage') }),
  }),
  createRoute({
    ...childOfRoot,
    path: '/routers/add',
    component: byEdition({ standalone: AddRouterPage, kubernetes: resourcePage('AddRouterPage') }),
  }),
  createRoute({
    ...childOfRoot,
    path: '/routers/edit',
    component: byEdition({ standalone: RouterPage }),
    validateSearch: readRouterPlace,
  }),
  createRoute({
    ...childOfRoot,
    path: '/routers/$namespace/$name',
    component: byEdition({ kubernetes: resourcePage('RouterPage') }),
  }),
  createRoute({
    ...childOfRoot,
    path: '/processors',
    component: byEdition({ standalone: ProcessorsPage, kubernetes: resourcePage('ProcessorsPage') }),
  }),
  createRoute({
    ...childOfRoot,
    path: '/processors/add',
    component: byEdition({ kubernetes: resourcePage('AddProcessorPage') }),
  }),
  createRoute({
    ...childOfRoot,
    path: '/processors/$namespace/$name',
    component: byEdition({ kubernetes: resourcePage('ProcessorPage') }),
  }),
  createRoute({ ...childOfRoot, path: '/gateway', component: byEdition({ kubernetes: resourcePage('GatewayPage') }) }),
  createRoute({
    ...childOfRoot,
    path: '/settings',
    component: byEdition({ standalone: SettingsPage }),
    validateSearch: fileSearch,
  }),
  createRoute({
    ...childOfRoot,
    path: '/changes',
    component: byEdition({ standalone: ChangesPage }),
    validateSearch: fileSearch,
  }),
  createRoute({ ...childOfRoot, path: '/transactions', component: TransactionsPage, validateSearch: readSearch }),
  createRoute({ ...childOfRoot, path: '/transactions/$id', component: RecordPage }),
  createRoute({
    ...childOfRoot,
    path: '/try',
    component: TryPage,
    validateSearch: (search) => {
      const router = textOf(search.router)
      return router === undefined ? {} : { router }
    },
  }),
] as const

const tree = root.addChildren(routes)

/** Makes the router that maps addresses to pages. */
export function createPageRouter() {
  return createRouter({
    routeTree: tree,
    defaultPreload: false,
    scrollRestoration: true,
    defaultErrorComponent: ({ error }) => (
      <Failure error={error instanceof Error ? error : new Error(String(error))} retry={() => location.reload()} />
    ),
  })
}

/** Reads the parameter `file`: one of the configuration files. */
function fileSearch(search: Readonly<Record<string, unknown>>): { readonly file?: (typeof fileNames)[number] } {
  const file = fileNames.find((name) => name === search.file)
  return file === undefined ? {} : { file }
}

declare module '@tanstack/react-router' {
  interface Register {
    readonly router: ReturnType<typeof createPageRouter>
  }
}

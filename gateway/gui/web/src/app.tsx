import { useQuery } from '@tanstack/react-query'
import { Outlet } from '@tanstack/react-router'
import { sessionQuery } from './api/queries.ts'
import { LoginPage } from './pages/login-page.tsx'
import { DraftBar } from './shell/draft-bar.tsx'
import { Navigation } from './shell/navigation.tsx'
import { texts } from './texts.ts'
import { Failure } from './ui/failure.tsx'

/** Shows the login page without a session, and all other pages with one. */
export function App() {
  const { data: session, error, refetch } = useQuery(sessionQuery)
  if (session === undefined) {
    return <div className="login">{error === null ? null : <Failure error={error} retry={() => void refetch()} />}</div>
  }
  if (!session.logged_in) return <LoginPage login={session.login} edition={session.edition} />
  return (
    <div className="shell">
      <a className="skip" href="#main">
        {texts.skip}
      </a>
      <Navigation name={session.name} edition={session.edition} />
      <main className="main" id="main" tabIndex={-1}>
        {session.edition === 'standalone' ? <DraftBar /> : null}
        <Outlet />
      </main>
    </div>
  )
}

import { Link } from '@tanstack/react-router'
import { texts } from '../texts.ts'
import { PageHead } from '../ui/page-head.tsx'

export function NotFound() {
  return (
    <>
      <PageHead title={texts.notFound.title} />
      <p>
        {texts.notFound.todo} <Link to="/">{texts.nav.overview}</Link>
      </p>
    </>
  )
}

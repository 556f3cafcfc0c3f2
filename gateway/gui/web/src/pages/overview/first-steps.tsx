import type { Overview, Routers } from '@llm-gateway/gui-api'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { historyQuery, routersQuery } from '../../api/queries.ts'
import { texts } from '../../texts.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'

const KEY = 'first-steps-closed'
const READ = 'record-read'

/** Remembers that a whole record was shown. */
export function rememberRecordRead(): void {
  localStorage.setItem(READ, '1')
}

/**
 * Guides from an empty gateway to the first record. The guide disappears when all steps are done or the user closes it.
 */
export function FirstSteps({ overview }: { readonly overview: Overview | undefined }) {
  const [closed, setClosed] = useState(() => localStorage.getItem(KEY) !== null)
  const { data: routers } = useQuery(routersQuery)
  const { data: history } = useQuery({ ...historyQuery({ limit: 1 }), enabled: !closed })
  if (closed || overview === undefined || routers === undefined) return null
  const close = (): void => {
    localStorage.setItem(KEY, '1')
    setClosed(true)
  }
  const { guide } = texts
  const own = ownRouters(routers)
  const running = own.find(({ deployed, state }) => deployed === 'live' && state === 'active')
  const tried = (history?.transactions.length ?? 0) > 0
  const read = localStorage.getItem(READ) !== null
  const steps = [
    {
      text: guide.connect,
      done: own.some(({ state }) => state === 'active'),
      link: <Link to="/routers/add">{guide.add}</Link>,
      // The link stays, because the shipped routers exist already but people want their own.
      again: true,
    },
    overview.edition === 'standalone'
      ? { text: guide.deploy, done: running !== undefined, link: <Link to="/changes">{guide.review}</Link> }
      : { text: guide.apply, done: running !== undefined, link: <Link to="/routers">{guide.seeRouters}</Link> },
    {
      text: guide.try,
      done: tried,
      link: (
        <Link to="/try" search={running === undefined ? {} : { router: running.path }}>
          {guide.send}
        </Link>
      ),
    },
    {
      text: guide.read,
      done: read,
      link: (
        <Link to="/transactions" search={{ view: 'history' }}>
          {guide.open}
        </Link>
      ),
    },
  ]
  if (steps.every(({ done }) => done)) return null
  return (
    <section className="card stack">
      <div className="row between">
        <h2>{guide.title}</h2>
        <Button small look="quiet" onPress={close}>
          {guide.close}
        </Button>
      </div>
      <ol className="steps">
        {steps.map(({ text, done, link, again = false }) => (
          <li key={text}>
            <span className="grow">{text}</span>
            {done ? <Badge tone="good">{guide.done}</Badge> : null}
            {done && !again ? null : link}
          </li>
        ))}
      </ol>
    </section>
  )
}

/** Returns the routers that lead to an LLM API. */
function ownRouters({ routers }: Routers): Routers['routers'] {
  return routers.filter(({ url, internal }) => !internal && url !== '' && !url.startsWith('https://localhost'))
}

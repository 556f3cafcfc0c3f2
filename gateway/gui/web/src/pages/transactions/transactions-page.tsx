import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { historyQuery } from '../../api/queries.ts'
import { texts } from '../../texts.ts'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Conversation } from './conversation.tsx'
import { Filters } from './filters.tsx'
import { useLiveTransactions } from './live-transactions.ts'
import { TransactionList } from './transaction-list.tsx'
import { filterOf, type TransactionSearch } from './transaction-search.ts'

const names = texts.transactions
const EMPTY_MS = 2_000

/** Shows calls as they end, or the history of kept calls. */
export function TransactionsPage() {
  const search = useSearch({ from: '/transactions' })
  const navigate = useNavigate()
  const change = (next: TransactionSearch): void => void navigate({ to: '/transactions', search: next, replace: true })
  const { view: _, ...filter } = search
  return (
    <>
      <PageHead title={texts.nav.transactions}>
        <Link
          to="/transactions"
          search={filter}
          className={search.view === undefined ? 'button primary' : 'button'}
          activeProps={{ 'aria-current': undefined }}
        >
          {names.live}
        </Link>
        <Link
          to="/transactions"
          search={{ ...filter, view: 'history' }}
          className={search.view === 'history' ? 'button primary' : 'button'}
          activeProps={{ 'aria-current': undefined }}
        >
          {names.history}
        </Link>
        {search.session === undefined ? null : (
          <Link
            to="/transactions"
            search={{ ...filter, view: 'conversation' }}
            className={search.view === 'conversation' ? 'button primary' : 'button'}
            activeProps={{ 'aria-current': undefined }}
          >
            {names.conversation}
          </Link>
        )}
      </PageHead>
      {search.view === 'conversation' ? null : <Filters search={search} onChange={change} />}
      <SelectedView search={search} />
    </>
  )
}

function SelectedView({ search }: { readonly search: TransactionSearch }) {
  if (search.view === 'conversation' && search.session !== undefined) return <Conversation session={search.session} />
  return search.view === undefined ? <LiveView search={search} /> : <History search={search} />
}

function LiveView({ search }: { readonly search: TransactionSearch }) {
  const [isPaused, setPaused] = useState(false)
  const { transactions, skipped, connected, failure } = useLiveTransactions(filterOf(search), isPaused)
  const state = isPaused ? names.paused : connected ? names.connected(transactions.length) : names.connecting
  return (
    <>
      <div className="row between">
        <span className="soft number">
          {state}
          {skipped > 0 ? ` · ${names.skipped(skipped)}` : ''}
        </span>
        <Button small onPress={() => setPaused(!isPaused)}>
          {isPaused ? names.resume : names.pause}
        </Button>
      </div>
      {failure === undefined ? null : <Failure error={failure} />}
      <TransactionList transactions={transactions} label={names.live}>
        {isPaused || !connected ? null : <Waiting search={search} />}
      </TransactionList>
    </>
  )
}

function Waiting({ search }: { readonly search: TransactionSearch }) {
  return (
    <div className="empty">
      <h2>{names.empty.title}</h2>
      <p>{names.empty.text}</p>
      <div className="buttons">
        <Link to="/transactions" search={{ ...search, view: 'history' }} className="button">
          {names.empty.earlier}
        </Link>
        <Link to="/try" className="button">
          {names.empty.action}
        </Link>
      </div>
    </div>
  )
}

function History({ search }: { readonly search: TransactionSearch }) {
  const [pages, setPages] = useState<readonly string[]>([])
  const before = pages.at(-1)
  const { data, error, refetch, isFetching } = useQuery({
    ...historyQuery({ ...filterOf(search), limit: 100, ...(before === undefined ? {} : { before }) }),
    // An empty list is refreshed until it has a line; a list with lines stays as it is.
    refetchInterval: ({ state }) => (state.data?.transactions.length === 0 ? EMPTY_MS : false),
  })
  const next = data?.next ?? null
  return (
    <>
      {error === null ? null : <Failure error={error} retry={() => void refetch()} />}
      <div className="row between">
        <span className="soft number">
          {data === undefined ? texts.loading : names.found(data.transactions.length, data.scanned)}
          {data?.source === 'recent' ? ` ${names.recentOnly}` : ''}
          {data?.source === 'file' ? ` ${names.fromFile}` : ''}
        </span>
        <div className="buttons">
          <Button small isDisabled={pages.length === 0} onPress={() => setPages(pages.slice(0, -1))}>
            {names.newer}
          </Button>
          <Button
            small
            isDisabled={next === null || isFetching}
            onPress={() => next !== null && setPages([...pages, next])}
          >
            {names.older}
          </Button>
          <Button small onPress={() => void refetch()}>
            {names.refresh}
          </Button>
        </div>
      </div>
      <TransactionList transactions={data?.transactions ?? []} label={names.history}>
        {data === undefined ? null : (
          <div className="empty">
            <h2>{names.noneKept.title}</h2>
            <p>{names.noneKept.text}</p>
          </div>
        )}
      </TransactionList>
    </>
  )
}

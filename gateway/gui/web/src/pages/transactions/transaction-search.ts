import type { TransactionFilter } from '@llm-gateway/gui-api'
import { textOf } from '../../json-value.ts'

export type TransactionSearch = TransactionFilter & {
  readonly view?: 'history' | 'conversation'
}

const FIELDS = ['router', 'session', 'status', 'error_type', 'processor', 'text'] as const
export type FilterField = (typeof FIELDS)[number]

/** Reads the filter from the page's address and leaves out unusable values. */
export function readSearch(search: Readonly<Record<string, unknown>>): TransactionSearch {
  // The address's parser turns 503 into a number.
  const given = FIELDS.map((name) => [
    name,
    textOf(search[name]) ?? (search[name] === undefined ? '' : String(search[name])),
  ])
  const filter: TransactionFilter = Object.fromEntries(given.filter(([, value]) => value !== ''))
  if (search.view === 'history' || search.view === 'conversation') return { ...filter, view: search.view }
  return filter
}

/**
 * Returns the search for the calls that the charts count as errors. A stream that broke off after a status of success
 * isn't found: no status tells it.
 */
export function failedCalls(router: string | undefined): TransactionSearch {
  return { view: 'history', status: '4xx,5xx', ...(router === undefined ? {} : { router }) }
}

/** Returns the part of the filter that the server accepts. */
export function filterOf(search: TransactionSearch): TransactionFilter {
  const { view: _, status, ...rest } = search
  return status !== undefined && /^[1-5](\d\d|xx)(,[1-5](\d\d|xx)){0,9}$/.test(status) ? { ...rest, status } : rest
}

import type { ArchiveEntry, File, FileName, HistoryQuery, Transaction } from '@llm-gateway/gui-api'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { request, setCsrfToken } from './request.ts'

const OVERVIEW_MS = 3_000
const CHARTS_MS = 5_000
const FILES_MS = 3_000

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }) => {
    const session = await request('session', { signal })
    if (session.logged_in) setCsrfToken(session.csrf_token)
    return session
  },
  staleTime: 60_000,
})

export const overviewQuery = queryOptions({
  queryKey: ['overview'],
  queryFn: ({ signal }) => request('overview', { signal }),
  refetchInterval: OVERVIEW_MS,
})

export function chartsQuery(minutes: number) {
  return queryOptions({
    queryKey: ['charts', minutes],
    queryFn: ({ signal }) => request('charts', { query: { minutes }, signal }),
    refetchInterval: CHARTS_MS,
    placeholderData: keepPreviousData,
  })
}

export const filesQuery = queryOptions({
  queryKey: ['files'],
  queryFn: async ({ signal }) => (await request('files', { signal })).files,
  refetchInterval: FILES_MS,
})

export function fileQuery(name: FileName) {
  return queryOptions<File>({
    queryKey: ['file', name],
    queryFn: ({ signal }) => request('file', { parameters: { file: name }, signal }),
    // Somebody else may have changed the file.
    staleTime: 0,
  })
}

export function schemaQuery(name: FileName) {
  return queryOptions<Readonly<Record<string, unknown>>>({
    queryKey: ['schema', name],
    queryFn: ({ signal }) => request('schema', { parameters: { file: name }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
}

export const routersQuery = queryOptions({
  queryKey: ['routers'],
  queryFn: ({ signal }) => request('routers', { signal }),
  refetchInterval: 10_000,
})

export function archiveQuery(name: FileName) {
  return queryOptions<readonly ArchiveEntry[]>({
    queryKey: ['archive', name],
    queryFn: async ({ signal }) => (await request('archive', { parameters: { file: name }, signal })).entries,
  })
}

export function archivedQuery(name: FileName, digest: string) {
  return queryOptions({
    queryKey: ['archived', name, digest],
    queryFn: ({ signal }) => request('archived', { parameters: { file: name, digest }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
}

export function historyQuery(query: HistoryQuery) {
  return queryOptions({
    queryKey: ['history', query],
    queryFn: ({ signal }) => request('history', { query, signal }),
    placeholderData: keepPreviousData,
  })
}

const MOST_CALLS = 30
/** Bound of requests: each searches up to two seconds, newest records first. */
const MOST_SEARCHES = 10

/** Returns the newest calls of a session, newest first; `isCut` means that there are, or may be, older calls. */
export function sessionCallsQuery(session: string) {
  return queryOptions({
    queryKey: ['session-calls', session],
    queryFn: async ({ signal }) => {
      const calls: Transaction[] = []
      let before: string | undefined
      for (let searches = 0; searches < MOST_SEARCHES; searches += 1) {
        const query = { session, limit: MOST_CALLS - calls.length, ...(before === undefined ? {} : { before }) }
        const { transactions, next } = await request('history', { query, signal })
        calls.push(...transactions)
        if (next === null) return { calls, isCut: false }
        before = next
        if (calls.length >= MOST_CALLS) break
      }
      return { calls, isCut: true }
    },
  })
}

export function recordQuery(id: string) {
  return queryOptions({
    queryKey: ['record', id],
    queryFn: ({ signal }) => request('record', { parameters: { id }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
}

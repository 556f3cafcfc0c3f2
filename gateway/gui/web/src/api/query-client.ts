import { QueryCache, QueryClient } from '@tanstack/react-query'
import { sessionQuery } from './queries.ts'
import { RequestFailure } from './request.ts'

const TRIES = 2

/** Makes a client that repeats queries after a lost connection only. An ended session leads to the login page. */
export function createQueryClient(): QueryClient {
  const client = new QueryClient({
    defaultOptions: {
      queries: {
        retry: (count, error) => count < TRIES && error instanceof RequestFailure && error.code === 'NO_ANSWER',
        staleTime: 1_000,
      },
      mutations: { retry: false },
    },
    queryCache: new QueryCache({
      onError: (error) => {
        if (!(error instanceof RequestFailure) || error.code !== 'NOT_LOGGED_IN') return
        void client.invalidateQueries({ queryKey: sessionQuery.queryKey })
      },
    }),
  })
  return client
}

import type { EndpointQuery, Resource, ResourceKind } from '@llm-gateway/gui-api'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { overviewQuery } from './queries.ts'
import { RequestFailure, request } from './request.ts'

const RESOURCES_MS = 3_000
/** The time for which the browser keeps the verdict on an earlier text. It is short: an answer may have a megabyte. */
const CHECK_KEPT_MS = 5_000

export type ResourcePlace = { readonly kind: ResourceKind; readonly namespace: string; readonly name: string }

export function resourcesQuery(query: EndpointQuery<'resources'>) {
  return queryOptions({
    queryKey: ['resources', query],
    queryFn: ({ signal }) => request('resources', { query, signal }),
    refetchInterval: RESOURCES_MS,
    placeholderData: keepPreviousData,
  })
}

/** Reads a resource; null if there is none. An error would vanish during each refetch, and the page would flicker. */
export function resourceQuery(place: ResourcePlace) {
  return queryOptions<Resource | null>({
    queryKey: ['resource', place],
    queryFn: ({ signal }) =>
      request('resource', { parameters: place, signal }).catch((error) => {
        if (error instanceof RequestFailure && error.code === 'NOT_FOUND') return null
        throw error
      }),
    refetchInterval: RESOURCES_MS,
  })
}

export const configurationQuery = queryOptions({
  queryKey: ['configuration'],
  queryFn: ({ signal }) => request('configuration', { signal }),
  refetchInterval: RESOURCES_MS,
})

export function resourceSchemaQuery(kind: ResourceKind) {
  return queryOptions<Readonly<Record<string, unknown>>>({
    queryKey: ['resource-schema', kind],
    queryFn: ({ signal }) => request('resourceSchema', { parameters: { kind }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** Checks a manifest. `generation` is the stored resource's: the verdict depends on the stored resource too. */
export function checkResourceQuery(manifest: string, generation: number | undefined) {
  return queryOptions({
    queryKey: ['check-resource', generation ?? 0, manifest],
    queryFn: ({ signal }) => request('checkResource', { body: { manifest }, signal }),
    placeholderData: keepPreviousData,
    gcTime: CHECK_KEPT_MS,
  })
}

/** Returns the gateway of this page and its mode; undefined until both are known. */
export function useShownGateway() {
  return useQuery({ ...overviewQuery, select: ({ kubernetes }) => kubernetes }).data
}

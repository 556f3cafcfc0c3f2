import type { z } from 'zod'
import type { FailureCode } from './failure.ts'

/** The two editions: files on a machine, or custom resources of a cluster. */
export type Edition = 'standalone' | 'kubernetes'

export type Endpoint = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** `:name` is a parameter. */
  readonly path: `/api/v1/${string}`
  readonly summary: string
  /** `open` needs no session. */
  readonly access: 'open' | 'session'
  /** True if a request changes a file, a resource or a session, which may be done in part when the request fails. */
  readonly changes?: true
  /** Unset if both editions have the endpoint. */
  readonly edition?: Edition
  readonly parameters?: z.ZodObject
  readonly query?: z.ZodObject
  readonly body?: z.ZodType
  /** Bytes of the largest body. Unset means 16 KiB. */
  readonly mostBody?: number
  /** JSON, or server-sent events whose `data` is JSON with the event's name in `event`. */
  readonly answer: z.ZodType
  readonly events?: true
  /** The failures in addition to those that `failuresOf` adds. */
  readonly failures: readonly FailureCode[]
}

/** Endpoints that belong together, for the documentation. */
export type EndpointGroup = {
  readonly name: string
  /** One or two sentences. */
  readonly about: string
  readonly endpoints: Readonly<Record<string, Endpoint>>
}

const ANY: readonly FailureCode[] = ['FOREIGN_REQUEST', 'HOST_NOT_ALLOWED', 'INTERNAL']
const WITH_LOGIN: readonly FailureCode[] = ['NOT_LOGGED_IN', 'WRONG_SECRET', 'LOGIN_IMPOSSIBLE', 'LOCKED', 'BUSY']

const SMALL_BODY = 16 * 1024

/** Returns the bytes of a body with a text of so many characters as JSON, where a character may take 2.5 bytes. */
export function bodyWithText(characters: number): number {
  return 2.5 * characters
}

/** Returns the bytes of an endpoint's largest body; 0 for an endpoint that takes no body. */
export function mostBody(endpoint: Pick<Endpoint, 'body' | 'mostBody'>): number {
  return endpoint.body === undefined ? 0 : (endpoint.mostBody ?? SMALL_BODY)
}

/** Returns all codes with which a request can fail. */
export function failuresOf({ method, access, parameters, query, body, failures }: Endpoint): readonly FailureCode[] {
  const isJudged = parameters !== undefined || query !== undefined || method !== 'GET'
  const codes = [
    ...ANY,
    ...(access === 'session' ? WITH_LOGIN : []),
    ...(isJudged ? (['BAD_REQUEST'] as const) : []),
    ...(body === undefined ? [] : (['BODY_TOO_LARGE'] as const)),
    ...failures,
  ]
  return [...new Set(codes)]
}

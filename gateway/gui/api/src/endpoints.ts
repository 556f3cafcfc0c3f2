import { z } from 'zod'
import { bodyWithText, type Endpoint, type EndpointGroup } from './endpoint.ts'
import { fileEndpoints } from './file-endpoints.ts'
import { chartsSchema, overviewSchema } from './overview.ts'
import { resourceEndpoints } from './resource-endpoints.ts'
import { routersSchema } from './routers.ts'
import { loginRequestSchema, sessionSchema } from './session.ts'
import {
  historyQuerySchema,
  historySchema,
  liveEventSchema,
  recordSchema,
  transactionFilterSchema,
} from './transactions.ts'
import { MOST_TRIED, tryEventSchema, tryRequestSchema } from './trying.ts'

type Endpoints = Readonly<Record<string, Endpoint>>

const sessionEndpoints = {
  session: {
    method: 'GET',
    path: '/api/v1/session',
    summary: 'The session, and if a login is possible',
    access: 'open',
    answer: sessionSchema,
    failures: [],
  },
  login: {
    method: 'POST',
    path: '/api/v1/session',
    summary: 'Log in',
    access: 'open',
    changes: true,
    body: loginRequestSchema,
    answer: sessionSchema,
    failures: ['WRONG_SECRET', 'LOCKED', 'LOGIN_IMPOSSIBLE'],
  },
  logout: {
    method: 'DELETE',
    path: '/api/v1/session',
    summary: 'Log out',
    access: 'session',
    changes: true,
    answer: sessionSchema,
    failures: [],
  },
} as const satisfies Endpoints

const watchEndpoints = {
  overview: {
    method: 'GET',
    path: '/api/v1/overview',
    summary: 'The running parts and their problems',
    access: 'session',
    answer: overviewSchema,
    failures: [],
  },
  charts: {
    method: 'GET',
    path: '/api/v1/charts',
    summary: 'Rates, latencies and tokens of the last minutes',
    access: 'session',
    query: z.strictObject({
      minutes: z.coerce.number().int().min(1).max(60).default(15).describe('The number of minutes before now.'),
    }),
    answer: chartsSchema,
    failures: [],
  },
  routers: {
    method: 'GET',
    path: '/api/v1/routers',
    summary: 'The routers of the draft or of the resources, with their states',
    access: 'session',
    answer: routersSchema,
    failures: ['NOT_FOUND', 'TOO_MANY'],
  },
} as const satisfies Endpoints

const transactionEndpoints = {
  live: {
    method: 'GET',
    path: '/api/v1/transactions/live',
    summary: 'Transactions as they end',
    access: 'session',
    query: transactionFilterSchema,
    answer: liveEventSchema,
    events: true,
    failures: ['TOO_MANY'],
  },
  history: {
    method: 'GET',
    path: '/api/v1/transactions',
    summary: 'Stored transactions',
    access: 'session',
    query: historyQuerySchema,
    answer: historySchema,
    failures: ['TOO_MANY'],
  },
  record: {
    method: 'GET',
    path: '/api/v1/transactions/:id',
    summary: 'One complete record',
    access: 'session',
    parameters: z.object({
      id: z
        .string()
        .regex(/^([sm]\d{1,16}|f\d{1,20}-\d{1,16})$/)
        .describe('`id` of a transaction in a list.'),
    }),
    answer: recordSchema,
    failures: ['NOT_FOUND', 'TOO_MANY'],
  },
} as const satisfies Endpoints

const tryEndpoints = {
  try: {
    method: 'POST',
    path: '/api/v1/try',
    summary: 'Send a request to a router and watch the answer arrive',
    access: 'session',
    body: tryRequestSchema,
    mostBody: bodyWithText(MOST_TRIED),
    answer: tryEventSchema,
    events: true,
    failures: ['GATEWAY_NOT_REACHABLE', 'TOO_MANY'],
  },
} as const satisfies Endpoints

/** All requests of the page and of scripts. Scripts send `Authorization: Bearer <GUI_SECRET>` and need no login. */
export const endpoints = {
  ...sessionEndpoints,
  ...watchEndpoints,
  ...fileEndpoints,
  ...resourceEndpoints,
  ...transactionEndpoints,
  ...tryEndpoints,
}

/** The requests in the order of the documentation. */
export const ENDPOINT_GROUPS: readonly EndpointGroup[] = [
  {
    name: 'Login',
    about: 'A login of a browser. A script sends the password with each request and needs none of these.',
    endpoints: sessionEndpoints,
  },
  {
    name: 'State',
    about: 'The running programs, the gateway’s metrics and the routers.',
    endpoints: watchEndpoints,
  },
  {
    name: 'Transactions',
    about: 'The calls that the gateway has answered.',
    endpoints: transactionEndpoints,
  },
  { name: 'Try', about: 'A call to a router, sent by the web interface.', endpoints: tryEndpoints },
  {
    name: 'Files',
    about:
      'The configuration files of a machine. A change becomes a draft, a deploy makes the draft live, and the former text stays as an earlier version. Not on Kubernetes.',
    endpoints: fileEndpoints,
  },
  {
    name: 'Resources',
    about: 'The resources of one LLMGateway. Only on Kubernetes.',
    endpoints: resourceEndpoints,
  },
]

export type EndpointName = keyof typeof endpoints
type BodyOf<E> = E extends { readonly body: infer Body extends z.ZodType } ? z.input<Body> : undefined
type QueryOf<E> = E extends { readonly query: infer Query extends z.ZodType } ? z.input<Query> : undefined

/** The body of a request; undefined if the endpoint takes none. */
export type EndpointBody<Name extends EndpointName> = BodyOf<(typeof endpoints)[Name]>
export type EndpointQuery<Name extends EndpointName> = QueryOf<(typeof endpoints)[Name]>
/** The answer's body, or one of its events. */
export type EndpointAnswer<Name extends EndpointName> = z.infer<(typeof endpoints)[Name]['answer']>

import type {
  EndpointAnswer,
  EndpointBody,
  EndpointName,
  EndpointQuery,
  Failure,
  FailureCode,
} from '@llm-gateway/gui-api'
import { texts } from '../texts.ts'
import { isUnattended } from './activity.ts'

export type Answer<Name extends EndpointName> = EndpointAnswer<Name>

export type Call<Name extends EndpointName> = {
  readonly body?: EndpointBody<Name>
  readonly query?: EndpointQuery<Name>
  readonly parameters?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

type Known = Failure['error']

/** A failed request: an answer with a status from 400 on, or no answer. */
export class RequestFailure extends Error {
  readonly code: FailureCode | 'NO_ANSWER'
  /** The server's error; undefined without an answer. */
  readonly failure: Known | undefined

  constructor(failure: Known | undefined) {
    super(failure?.message ?? texts.noAnswer)
    this.code = failure?.code ?? 'NO_ANSWER'
    this.failure = failure
  }
}

type Route = { readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'; readonly path: string }

/** A copy of the server's table of endpoints. The table itself would load its schemas into the page. */
const ROUTES: Readonly<Record<EndpointName, Route>> = {
  session: { method: 'GET', path: '/session' },
  login: { method: 'POST', path: '/session' },
  logout: { method: 'DELETE', path: '/session' },
  overview: { method: 'GET', path: '/overview' },
  charts: { method: 'GET', path: '/charts' },
  files: { method: 'GET', path: '/files' },
  file: { method: 'GET', path: '/files/:file' },
  schema: { method: 'GET', path: '/files/:file/schema' },
  saveDraft: { method: 'PUT', path: '/files/:file/draft' },
  discardDraft: { method: 'DELETE', path: '/files/:file/draft' },
  check: { method: 'POST', path: '/files/:file/check' },
  deploy: { method: 'POST', path: '/files/:file/deploy' },
  archive: { method: 'GET', path: '/files/:file/archive' },
  archived: { method: 'GET', path: '/files/:file/archive/:digest' },
  restore: { method: 'POST', path: '/files/:file/archive/:digest/restore' },
  routers: { method: 'GET', path: '/routers' },
  resources: { method: 'GET', path: '/resources' },
  resource: { method: 'GET', path: '/resources/:kind/:namespace/:name' },
  configuration: { method: 'GET', path: '/configuration' },
  resourceSchema: { method: 'GET', path: '/resource-schemas/:kind' },
  checkResource: { method: 'POST', path: '/resources/check' },
  dryRunResource: { method: 'POST', path: '/resources/dry-run' },
  applyResource: { method: 'POST', path: '/resources/apply' },
  deleteResource: { method: 'DELETE', path: '/resources/:kind/:namespace/:name' },
  live: { method: 'GET', path: '/transactions/live' },
  history: { method: 'GET', path: '/transactions' },
  record: { method: 'GET', path: '/transactions/:id' },
  try: { method: 'POST', path: '/try' },
}

let csrfToken = ''

/** Keeps the token that is sent with all requests but GET. Each session has its own. */
export function setCsrfToken(token: string): void {
  csrfToken = token
}

/** Sends a request and returns its JSON. Throws RequestFailure. */
export async function request<Name extends EndpointName>(name: Name, call: Call<Name> = {}): Promise<Answer<Name>> {
  const answer = await send(name, call)
  return await answer.json().catch((error) => throwNoAnswer(error, call.signal))
}

/** Sends a request and returns the response with an unread body. Throws RequestFailure. */
export async function send<Name extends EndpointName>(name: Name, call: Call<Name>): Promise<Response> {
  const { method, path } = ROUTES[name]
  const headers: Record<string, string> = {}
  if (isUnattended()) headers['X-Unattended'] = '1'
  if (method !== 'GET') headers['X-Csrf-Token'] = csrfToken
  if (call.body !== undefined) headers['Content-Type'] = 'application/json'
  const init: RequestInit = { method, headers, credentials: 'same-origin', cache: 'no-store' }
  if (call.body !== undefined) init.body = JSON.stringify(call.body)
  if (call.signal !== undefined) init.signal = call.signal
  const answer = await fetch(`/api/v1${filled(path, call.parameters)}${search(call.query)}`, init).catch((error) =>
    throwNoAnswer(error, call.signal),
  )
  if (answer.ok) return answer
  const failure: Failure | undefined = await answer.json().catch(() => undefined)
  throw new RequestFailure(failure?.error)
}

/** Rethrows the error of an aborted request; any other error means that no whole answer came. */
function throwNoAnswer(error: unknown, signal: AbortSignal | undefined): never {
  if (signal?.aborted === true) throw error
  throw new RequestFailure(undefined)
}

function filled(path: string, parameters: Readonly<Record<string, string>> = {}): string {
  return path.replaceAll(/:(\w+)/g, (_, name) => encodeURIComponent(parameters[name] ?? ''))
}

function search(query: object | undefined): string {
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== '')
  return given.length === 0 ? '' : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`
}

import { setTimeout as wait } from 'node:timers/promises'
import { Agent, type Dispatcher, request } from 'undici'
import type { KubeAccess } from './kube-access.ts'
import { type AnswerBounds, readAnswer } from './read-answer.ts'
import { TransportError, transportErrorOf } from './transport-error.ts'
import { createTurns } from './turns.ts'

export type KubeRequest = AnswerBounds & {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** The path with its query. */
  readonly path: string
  readonly body?: unknown
  readonly contentType?: string
  readonly accept?: string
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

export type KubeAnswer = { readonly status: number; readonly body: unknown; readonly retryAfterMs: number }

export type Transport = {
  /** Rejects with TransportError where there is no answer. */
  request(call: KubeRequest): Promise<KubeAnswer>
  /** Resolves with the lines of a watch, which end with it. Silence of `stallMs` is a failure. */
  watch(path: string, options: WatchOptions): Promise<WatchAnswer>
  /** Sends one plain GET to another server than the API server: a pod's port. */
  get(url: string, limits: AnswerBounds & { readonly timeoutMs: number }): Promise<KubeAnswer>
  close(): Promise<void>
}
export type WatchOptions = { readonly accept: string; readonly stallMs: number; readonly signal: AbortSignal }
export type WatchAnswer = {
  readonly status: number
  readonly lines: AsyncIterable<string>
  readonly retryAfterMs: number
}

export type TransportOptions = {
  readonly access: KubeAccess
  /** Called after each answer; code "<error>" where there was none. */
  readonly answered?: (method: string, code: string) => void
  /** Asked when a write is about to leave, since only the leader writes. */
  readonly mayWrite?: () => boolean
  readonly timeoutMs?: number
}

const REQUEST_TIMEOUT_MS = 30_000
const CONNECT_TIMEOUT_MS = 10_000
const MAX_CONNECTIONS = 64
/** Status → tries. The server didn't act on 429 and 401, so any method may be sent again. */
const TRIES: ReadonlyMap<number, number> = new Map([
  [429, 4],
  [401, 2],
])
const MAX_RETRY_AFTER_MS = 30_000
const SECOND_MS = 1_000
const JSON_TYPE = 'application/json'

/**
 * Makes the transport, which holds all connections: those for requests to the API server in one undici Agent, those for
 * watches in another, and those to pods in a third (docs/reference/kubernetes.md#connections).
 */
export function createTransport(options: TransportOptions): Transport {
  const { access, answered = () => undefined, mayWrite = () => true } = options
  const defaultTimeoutMs = options.timeoutMs ?? REQUEST_TIMEOUT_MS
  const closed = new AbortController()
  const turns = createTurns()
  // Over HTTP/2 a request that ends at its time limit leaves its connection in use, dead or not, and all further
  // requests would follow it. A leader would lose its lease.
  const connect = { connect: { ...access.tls, timeout: CONNECT_TIMEOUT_MS }, allowH2: false }
  const agent = new Agent({ ...connect, connections: MAX_CONNECTIONS })
  const api = agent.compose((dispatch) => (call, handler) => {
    return dispatch(call, call.method === 'GET' ? handler : guarded(handler, mayWrite))
  })
  // A watch keeps its connection for minutes, and those of several namespaces would leave requests none.
  const watches = new Agent(connect)
  const pods = new Agent({ connect: { timeout: CONNECT_TIMEOUT_MS }, keepAliveTimeout: 4_000 })

  const headersOf = async (accept: string): Promise<Record<string, string>> => {
    // The plugin of a kubeconfig is another program and may fail.
    const authorization = await access.authorization().catch((cause: unknown) => {
      throw new TransportError('NO_CREDENTIALS', cause)
    })
    return { accept, 'user-agent': 'llm-gateway-operator', ...(authorization === undefined ? {} : { authorization }) }
  }
  const send = async (
    call: Promise<Dispatcher.ResponseData>,
    { method, signal }: { readonly method: string; readonly signal: AbortSignal },
  ): Promise<Dispatcher.ResponseData> => {
    try {
      const answer = await untilAborted(call, signal)
      answered(method, String(answer.statusCode))
      return answer
    } catch (cause) {
      answered(method, '<error>')
      throw transportErrorOf(cause)
    }
  }
  const once = async (call: KubeRequest): Promise<KubeAnswer> => {
    const { method, path, body, contentType = JSON_TYPE, accept = JSON_TYPE, timeoutMs = defaultTimeoutMs } = call
    const headers = await headersOf(accept)
    const signal = AbortSignal.any([
      AbortSignal.timeout(timeoutMs),
      ...(call.signal === undefined ? [] : [call.signal]),
    ])
    const sent = request(new URL(path, access.server), {
      dispatcher: api,
      method,
      headers: body === undefined ? headers : { ...headers, 'content-type': contentType },
      body: body === undefined ? null : JSON.stringify(body),
      signal,
    })
    const answer = await send(sent, { method, signal })
    if (answer.statusCode === 401) access.refused()
    return {
      status: answer.statusCode,
      body: await readAnswer(answer.body, call, turns),
      retryAfterMs: retryAfterOf(answer),
    }
  }
  return {
    request: async (call) => {
      for (let tries = 1; ; tries += 1) {
        const answer = await once(call)
        const isLast = tries >= (TRIES.get(answer.status) ?? 1)
        if (isLast || answer.retryAfterMs >= (call.timeoutMs ?? defaultTimeoutMs)) return answer
        await wait(answer.retryAfterMs * (1 + Math.random() / 4), undefined, {
          signal: closed.signal,
          ref: false,
        }).catch(() => undefined)
        if (closed.signal.aborted || call.signal?.aborted === true) return answer
      }
    },
    watch: async (path, { accept, stallMs, signal }) => {
      const headers = await headersOf(accept)
      const call = request(new URL(path, access.server), {
        dispatcher: watches,
        method: 'GET',
        headers,
        headersTimeout: REQUEST_TIMEOUT_MS,
        bodyTimeout: stallMs,
        signal,
      })
      const answer = await send(call, { method: 'WATCH', signal })
      if (answer.statusCode === 401) access.refused()
      return { status: answer.statusCode, lines: linesOf(answer.body), retryAfterMs: retryAfterOf(answer) }
    },
    get: async (url, { timeoutMs, ...bounds }) => {
      const signal = AbortSignal.timeout(timeoutMs)
      try {
        const answer = await request(url, { dispatcher: pods, signal })
        return { status: answer.statusCode, body: await readAnswer(answer.body, bounds, turns), retryAfterMs: 0 }
      } catch (cause) {
        throw transportErrorOf(cause)
      }
    },
    close: async () => {
      closed.abort()
      await Promise.all([agent.destroy(), watches.destroy(), pods.destroy()])
    },
  }
}

/**
 * Settles with the call, or rejects when the signal is aborted. undici rejects an aborted call only once the call has a
 * connection, so a call that waits for one would outlast its time limit. It isn't sent afterwards.
 */
async function untilAborted<T>(call: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const end = (): void => reject(signal.reason)
  signal.addEventListener('abort', end)
  if (signal.aborted) end()
  try {
    return await Promise.race([call, aborted])
  } finally {
    signal.removeEventListener('abort', end)
  }
}

/** Returns the ms for which the server wants no request (RFC 9110, 10.2.3), in seconds as the API server sends it. */
function retryAfterOf({ statusCode, headers }: Dispatcher.ResponseData): number {
  const seconds = Number(headers['retry-after'] ?? (statusCode === 429 ? 1 : 0))
  return Number.isFinite(seconds) ? Math.min(MAX_RETRY_AFTER_MS, Math.max(0, seconds) * SECOND_MS) : SECOND_MS
}

/**
 * Asks `mayWrite` when the call gets its connection: the process may have been stopped while the call waited for one.
 */
function guarded(handler: Dispatcher.DispatchHandler, mayWrite: () => boolean): Dispatcher.DispatchHandler {
  return {
    onRequestStart: (controller, context) => {
      if (mayWrite()) handler.onRequestStart?.(controller, context)
      else controller.abort(new TransportError('NOT_LEADING', undefined))
    },
    onRequestUpgrade: (...answer) => handler.onRequestUpgrade?.(...answer),
    onResponseStart: (...answer) => handler.onResponseStart?.(...answer),
    onResponseData: (...answer) => handler.onResponseData?.(...answer),
    onResponseEnd: (...answer) => handler.onResponseEnd?.(...answer),
    onResponseError: (...answer) => handler.onResponseError?.(...answer),
  }
}

async function* linesOf(body: AsyncIterable<unknown>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  const rest: string[] = []
  try {
    for await (const chunk of body) {
      const text = chunk instanceof Uint8Array ? decoder.decode(chunk, { stream: true }) : String(chunk)
      const [first = '', ...more] = text.split('\n')
      rest.push(first)
      for (const next of more) {
        const line = rest.join('')
        rest.length = 0
        rest.push(next)
        if (line !== '') yield line
      }
    }
  } catch (cause) {
    throw transportErrorOf(cause)
  }
}

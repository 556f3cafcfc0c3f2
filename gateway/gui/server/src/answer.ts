import type { Endpoint, Failure, FailureCode } from '@llm-gateway/gui-api'

/** Who asks. */
export type Caller = {
  /** As a person wrote it at login, unverified; of a script `script`. */
  readonly name: string
  /** Aborted when nothing more may be told: the session has ended. */
  readonly ended: AbortSignal
}

/** Where events go. */
export type EventSink<Event> = {
  /** False: the page doesn't keep up; `drained` tells when it does. */
  send(event: Event): boolean
  /** Resolves when it keeps up again, or when it has gone. */
  drained(): Promise<void>
}

export type Failed = { readonly kind: 'failed'; readonly code: FailureCode; readonly message: string } & More
type More = Omit<Failure['error'], 'code' | 'message'>

/** What a request comes to. */
export type Answer<Value> =
  | { readonly kind: 'answered'; readonly value: Value }
  | {
      readonly kind: 'events'
      /** Runs until it is done, or until the signal tells that the page has gone or may look no longer. */
      readonly run: (sink: EventSink<Value>, signal: AbortSignal) => Promise<void>
    }
  | Failed

export function answered<Value>(value: Value) {
  return { kind: 'answered', value } as const
}

export function failed(code: FailureCode, message: string, more: More = {}): Failed {
  return { kind: 'failed', code, message, ...more }
}

type Part<Schemas, Name extends string> = Schemas extends {
  readonly [Key in Name]: { readonly _zod: { readonly output: infer Value } }
}
  ? Value
  : undefined

/** What an endpoint is asked, in the form that its schemas give it. */
export type AskedFor<E extends Endpoint> = {
  readonly parameters: Part<E, 'parameters'>
  readonly query: Part<E, 'query'>
  readonly body: Part<E, 'body'>
  readonly caller: Caller
}

/** What came with a request, read by nobody yet. */
export type RawAsked = {
  readonly parameters: unknown
  readonly query: unknown
  readonly body: unknown
  readonly caller: Caller
}

/** An endpoint with what answers it. */
export type Route = { readonly endpoint: Endpoint; answer(raw: RawAsked): Promise<Answer<unknown>> }

/** An endpoint whose requests and answers are passed on without being read here. */
export type BytesRoute = {
  readonly endpoint: Endpoint
  answer(asked: AskedInBytes): Promise<Failed | BytesAnswer>
}
export type AskedInBytes = Omit<RawAsked, 'body'> & { readonly body: Uint8Array | undefined }
/** `text` is JSON. */
export type BytesAnswer = { readonly kind: 'bytes'; readonly status: number; readonly text: Uint8Array }

/** Reads what is asked with the endpoint's schemas; what doesn't fit is BAD_REQUEST with the places. */
export function route<E extends Endpoint>(
  endpoint: E,
  handler: (asked: AskedFor<E>) => Promise<Answer<E['answer']['_zod']['output']>>,
): Route {
  return {
    endpoint,
    async answer(raw) {
      const parts = { parameters: raw.parameters, query: raw.query, body: raw.body }
      const fields: { path: (string | number)[]; message: string }[] = []
      const read = new Map<string, unknown>()
      for (const [name, part] of Object.entries(parts)) {
        const schema = { parameters: endpoint.parameters, query: endpoint.query, body: endpoint.body }[name]
        const parsed = schema?.safeParse(part)
        read.set(name, parsed?.data)
        for (const { path, message } of parsed?.error?.issues.slice(0, MOST_FIELDS) ?? [])
          fields.push({ path: [name, ...path.map((key) => (typeof key === 'number' ? key : String(key)))], message })
      }
      if (fields.length > 0)
        return failed('BAD_REQUEST', 'The request has another form than the interface asks for.', { fields })
      const asked = { ...Object.fromEntries(read), caller: raw.caller }
      return isRead<E>(asked) ? handler(asked) : failed('INTERNAL', 'The request was not read.')
    },
  }
}

const MOST_FIELDS = 20

/** Parsed by the endpoint's own schemas, it has their types; the compiler can't follow a table. */
function isRead<E extends Endpoint>(asked: { readonly caller: Caller }): asked is AskedFor<E> {
  return 'body' in asked
}

export const STATUS = {
  NOT_LOGGED_IN: 401,
  WRONG_SECRET: 401,
  LOCKED: 429,
  LOGIN_IMPOSSIBLE: 403,
  FOREIGN_REQUEST: 403,
  HOST_NOT_ALLOWED: 421,
  BAD_REQUEST: 400,
  BODY_TOO_LARGE: 413,
  NOT_FOUND: 404,
  CONFLICT: 409,
  READ_ONLY: 403,
  MASKED_NOWHERE: 422,
  NOT_VALID: 422,
  NO_DRAFT: 409,
  NOT_WRITABLE: 500,
  GATEWAY_NOT_REACHABLE: 502,
  READ_ONLY_MODE: 403,
  CONFLICT_OF_MANAGERS: 409,
  RESOURCE_CHANGED: 409,
  FORBIDDEN: 403,
  CLUSTER_NOT_REACHABLE: 502,
  TOO_MANY: 429,
  INTERNAL: 500,
} as const satisfies Readonly<Record<FailureCode, number>>

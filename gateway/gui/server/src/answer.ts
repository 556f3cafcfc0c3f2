import type { Endpoint, Failure, FailureCode } from '@llm-gateway/gui-api'

/** The person or script that calls the API. */
export type Caller = {
  /** The name that a person typed at login, unverified; `script` for a script. */
  readonly name: string
  /** Aborted when the session has ended: no further event may be sent. */
  readonly ended: AbortSignal
}

/** Writes the events of an answer to a page. */
export type EventWriter<Event> = {
  /** Sends an event. Returns false if the page doesn't keep up; `drained` tells when it does again. */
  send(event: Event): boolean
  /** Resolves when the page keeps up again, or when it has gone. */
  drained(): Promise<void>
}

export type Failed<Code extends FailureCode = FailureCode> = {
  readonly kind: 'failed'
  readonly code: Code
  readonly message: string
} & FailureDetails
type FailureDetails = Omit<Failure['error'], 'code' | 'message'>

/** The outcome of a request, with the codes that it can fail with. */
export type Answer<Value, Code extends FailureCode = FailureCode> =
  | { readonly kind: 'answered'; readonly value: Value }
  | {
      readonly kind: 'events'
      /**
       * Runs until all events are written, or until the signal tells that the page has gone or its session has ended.
       */
      readonly run: (writer: EventWriter<Value>, signal: AbortSignal) => Promise<void>
    }
  | Failed<Code>

export function answered<Value>(value: Value) {
  return { kind: 'answered', value } as const
}

export function failed<Code extends FailureCode>(
  code: Code,
  message: string,
  details: FailureDetails = {},
): Failed<Code> {
  return { kind: 'failed', code, message, ...details }
}

type Part<Schemas, Name extends string> = Schemas extends {
  readonly [Key in Name]: { readonly _zod: { readonly output: infer Value } }
}
  ? Value
  : undefined

/** A request to an endpoint, in the form of its schemas. */
export type EndpointRequest<E extends Endpoint> = {
  readonly parameters: Part<E, 'parameters'>
  readonly query: Part<E, 'query'>
  readonly body: Part<E, 'body'>
  readonly caller: Caller
  readonly left: AbortSignal
}

/** A request whose parts no schema has read yet. */
export type RawRequest = {
  readonly parameters: unknown
  readonly query: unknown
  readonly body: unknown
  readonly caller: Caller
  /** Aborted when the caller no longer waits for the answer. Absent for a request that is answered in any case. */
  readonly left?: AbortSignal
}

/** An endpoint and the function that answers it. */
export type Route = { readonly endpoint: Endpoint; answer(raw: RawRequest): Promise<Answer<unknown>> }

/** An endpoint whose requests and answers are passed on unread. */
export type BytesRoute = {
  readonly endpoint: Endpoint
  answer(asked: BytesRequest): Promise<Failed | BytesAnswer>
}
export type BytesRequest = Omit<RawRequest, 'body' | 'left'> & { readonly body: Uint8Array | undefined }
/** An answer whose `text` is JSON. */
export type BytesAnswer = { readonly kind: 'bytes'; readonly status: number; readonly text: Uint8Array }

/** The codes that a handler may answer with: those that its endpoint lists, and BAD_REQUEST. */
type HandlerFailure<E extends Endpoint> = E['failures'][number] | 'BAD_REQUEST'

/** Makes a route that reads requests by its endpoint's schemas. Other requests are BAD_REQUEST with the places. */
export function route<E extends Endpoint>(
  endpoint: E,
  handler: (asked: EndpointRequest<E>) => Promise<Answer<E['answer']['_zod']['output'], HandlerFailure<E>>>,
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
        return failed('BAD_REQUEST', 'The request does not have the form that this endpoint requires.', { fields })
      const asked = { ...Object.fromEntries(read), caller: raw.caller, left: raw.left ?? STAYS }
      return isRead<E>(asked) ? handler(asked) : failed('INTERNAL', 'The request was not read.')
    },
  }
}

const MOST_FIELDS = 20
const STAYS = new AbortController().signal

/** Narrows the type: the parts were parsed by the endpoint's own schemas, but the compiler can't follow the table. */
function isRead<E extends Endpoint>(asked: {
  readonly caller: Caller
  readonly left: AbortSignal
}): asked is EndpointRequest<E> {
  return 'body' in asked
}

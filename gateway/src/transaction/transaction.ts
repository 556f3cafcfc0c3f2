import type { Logger } from '@llm-gateway/conf'
import type { Bus } from '../bus/bus.ts'
import type { RecordPublisher } from '../bus/record-publisher.ts'
import type { Clock, Instant } from '../clock.ts'
import type { LiveConfig } from '../config/live-config.ts'
import type { Route, Runtime } from '../config/runtime-config.ts'
import type { BodyBudget } from '../http/body-budget.ts'
import type { BodyMemory } from '../http/body-memory.ts'
import type { HeaderMap } from '../http/headers.ts'
import type { BodyRead, Held } from '../http/read-body.ts'
import type { Reply } from '../http/reply.ts'
import type { JsonEngine } from '../json/json-scan.ts'
import type { Metrics } from '../metrics.ts'
import type { BodyCopy } from '../upstream/collect-body.ts'
import type { CancelSignal, Upstream } from '../upstream/upstream.ts'
import type { WorkQueue } from '../work/work-queue.ts'
import type { RequestSide } from './request-side.ts'
import type { ResponseSide } from './response-side.ts'
import type { IdSource, Ids } from './session.ts'

/** What transactions share. */
export type Gateway = {
  readonly live: LiveConfig<Runtime>
  readonly bus: Bus
  /** undefined: no logger subject is configured, nobody reads records. */
  readonly records: RecordPublisher | undefined
  readonly upstream: Upstream
  readonly metrics: Metrics
  readonly clock: Clock
  readonly ids: IdSource
  readonly budget: BodyBudget
  readonly json: JsonEngine
  readonly work: WorkQueue
  readonly logger: Logger
  readonly lastTransaction: LastTransaction
}

/** What the isalive subject tells (wire, 2). */
export type LastTransaction = { note(id: string, at: Instant, errorType: string): void }

/** One request as the HTTP server hands it over. */
export type Call = {
  readonly method: string
  /** The request target as it came. */
  readonly target: string
  readonly rawHeaders: readonly string[]
  readonly hasBody: boolean
  /** False: not the one Host header that HTTP/1.1 asks for. */
  readonly namesHost: boolean
  readonly signal: CancelSignal
  admitBody(limits: CallLimits, held: Held): BodyRead | undefined
  readBody(limits: CallLimits, held: Held): Promise<BodyRead>
  /** An unread body is got rid of; the connection closes after the answer where that is too much. */
  refuseBody(): void
  createReply(session: { readonly canonical: string; readonly value: string }, stallTimeoutMs: number): Reply
}

export type CallLimits = { readonly requestBytes: number; readonly idleTimeoutMs: number }

/** One call on its way: what is known of it, filled in as it goes. */
export type Transaction = {
  readonly runtime: Runtime
  readonly ids: Ids
  readonly method: string
  readonly route: Route
  readonly subpath: string
  readonly query: string
  readonly headers: HeaderMap
  readonly call: Call
  readonly reply: Reply
  readonly held: Held
  readonly moments: Moments
  /** The caller speaks Anthropic's API: our errors do too. */
  readonly anthropic: boolean
  /** The memory of the request's body. */
  memory: BodyMemory | undefined
  /** What is held of the answer's body. */
  copy: BodyCopy | undefined
  request: RequestSide | undefined
  response: ResponseSide | undefined
}

/** When what happened; undefined for what didn't. */
export type Moments = {
  readonly ingress: Instant
  outbound: Instant | undefined
  firstByte: Instant | undefined
  inbound: Instant | undefined
  egress: Instant | undefined
}

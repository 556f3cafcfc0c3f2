import type { Logger } from '@llm-gateway/conf'
import type { Bus } from '../bus/bus.ts'
import type { RecordPublisher, RecordTicket } from '../bus/record-publisher.ts'
import type { Clock, Instant } from '../clock.ts'
import type { LiveConfig, Route, Runtime } from '../config/runtime-config.ts'
import type { HeaderMap } from '../http/headers.ts'
import type { BodyLimits, BodyRead, BodyReading, BodyRefusal } from '../http/read-body.ts'
import type { Reply } from '../http/reply.ts'
import type { JsonEngine } from '../json/json-scan.ts'
import type { Lease, LeasedMemory } from '../memory/leased-memory.ts'
import type { Holding, MemoryAccount, Share } from '../memory/memory-account.ts'
import type { Metrics } from '../metrics.ts'
import type { CancelSignal, Upstream } from '../upstream/upstream.ts'
import type { OneByOne } from '../work/one-by-one.ts'
import type { TurnBudget } from '../work/turn-budget.ts'
import type { WorkQueue } from '../work/work-queue.ts'
import type { RequestSide } from './request-side.ts'
import type { ResponseSide } from './response-side.ts'
import type { IdSource, Ids } from './session.ts'

/** Everything that transactions share. */
export type Gateway = {
  readonly live: LiveConfig<Runtime>
  readonly bus: Bus
  /** undefined: no logger subject is configured, nobody reads records. */
  readonly records: RecordPublisher | undefined
  readonly upstream: Upstream
  readonly metrics: Metrics
  readonly clock: Clock
  readonly ids: IdSource
  readonly account: MemoryAccount
  readonly json: JsonEngine
  /** The share of a turn that reading bodies may take. */
  readonly reading: TurnBudget
  /** Finishes the large answers of a router. */
  readonly largeAnswers: OneByOne
  /** For what follows an answer and for large bodies: calls that begin go first. */
  readonly work: WorkQueue
  readonly logger: Logger
  readonly lastTransaction: LastTransaction
}

/** The last transaction, for the answer on the isalive subject (docs/reference/bus.md#alive). */
export type LastTransaction = { note(id: string, at: Instant, errorType: string): void }

/** One request as the HTTP server hands it over. */
export type Call = {
  readonly method: string
  /** The request target as it came. */
  readonly target: string
  readonly rawHeaders: readonly string[]
  readonly hasBody: boolean
  /** As announced; 0: none, Infinity: nobody knows. */
  readonly bodyBytes: number
  /** False: not the one Host header that HTTP/1.1 asks for. */
  readonly namesHost: boolean
  readonly signal: CancelSignal
  /** The part of the account that the calls of this connection hold. */
  readonly share: Share
  admitBody(limits: BodyLimits, holding: Holding): BodyRefusal | undefined
  readBody(reading: BodyReading): Promise<BodyRead>
  /** An unread body is got rid of; the connection closes after the answer where that is too much. */
  refuseBody(): void
  /** Ends the connection: no answer can be given. */
  cut(): void
  createReply(session: { readonly canonical: string; readonly value: string }, stallTimeoutMs: number): Reply
}

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
  /** All that the call holds of the gateway's memory. */
  readonly holding: Holding
  readonly moments: Moments
  /** The caller speaks Anthropic's API: our errors do too. */
  readonly anthropic: boolean
  /** The memory of the request's body, where it is freed by hand, and the call's own lease of it. */
  memory: { readonly leased: LeasedMemory; readonly lease: Lease } | undefined
  /** The call was admitted: its record is journalled, where records are. */
  isKept: boolean
  /** Of its record in the journal. */
  ticket: RecordTicket | undefined
  /** The answer leaves once its record is in the journal; never rejects. */
  sending: Promise<void> | undefined
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

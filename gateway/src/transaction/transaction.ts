import type { Logger } from '@llm-gateway/conf'
import type { Bus } from '../bus/bus.ts'
import type { RecordTicket } from '../bus/record-memory.ts'
import type { RecordPublisher } from '../bus/record-publisher.ts'
import type { Clock, Instant } from '../clock.ts'
import type { LiveConfig, Route, RuntimeConfig } from '../config/runtime-config.ts'
import type { HeaderMap } from '../http/headers.ts'
import type { BodyLimits, BodyRefusal, BodyResult, ReadBodyOptions } from '../http/read-body.ts'
import type { Reply } from '../http/reply.ts'
import type { JsonEngine } from '../json/json-scan.ts'
import type { Lease, LeasedMemory } from '../memory/leased-memory.ts'
import type { CallMemory, MemoryAccount, MemoryShare } from '../memory/memory-account.ts'
import type { Metrics } from '../metrics.ts'
import type { CallPlaces } from '../pipeline/call-places.ts'
import type { CancelSignal, Upstream } from '../upstream/upstream.ts'
import type { CallTurns } from '../work/call-turns.ts'
import type { KeyedQueue } from '../work/keyed-queue.ts'
import type { TurnBudget } from '../work/turn-budget.ts'
import type { WorkQueue } from '../work/work-queue.ts'
import type { RequestSide } from './request-side.ts'
import type { ResponseSide } from './response-side.ts'
import type { CallIds, IdSource } from './session.ts'

/** The parts of the gateway that all transactions share. */
export type Gateway = {
  readonly live: LiveConfig<RuntimeConfig>
  readonly bus: Bus
  /** The places for calls to processors that wait for a reply. */
  readonly places: CallPlaces
  /** undefined where no logger subject is configured, so that nobody reads records. */
  readonly records: RecordPublisher | undefined
  readonly upstream: Upstream
  readonly metrics: Metrics
  readonly clock: Clock
  readonly ids: IdSource
  readonly account: MemoryAccount
  readonly json: JsonEngine
  /** The share of a turn that the reading of bodies may take. */
  readonly readBudget: TurnBudget
  /** Shares the turns of the event loop between the calls of all routers. */
  readonly callTurns: CallTurns
  /** Finishes the large answers of one router one after another. */
  readonly largeAnswers: KeyedQueue
  /** Decodes answers of usual length, some at a time and at most one of each router. */
  readonly shortDecodings: KeyedQueue
  /**
   * Decodes a few long answers at a time, at most one of each router: each decoder holds up to 16 MiB, whatever its body.
   */
  readonly decodings: KeyedQueue
  /** Runs large bodies and the work after an answer in slices, so that new calls are served first. */
  readonly work: WorkQueue
  readonly logger: Logger
  readonly lastTransaction: LastTransaction
}

/** Notes the last transaction for the answer on the isalive subject (docs/reference/bus.md#alive). */
export type LastTransaction = { note(id: string, at: Instant, errorType: string): void }

/** A request as the HTTP server hands it to the transaction. */
export type Call = {
  readonly method: string
  /** The request target as the caller sent it. */
  readonly target: string
  readonly rawHeaders: readonly string[]
  readonly hasBody: boolean
  /** The announced length in bytes: 0 without a body, Infinity where the length isn't announced. */
  readonly bodyBytes: number
  /** True for exactly one Host header, which HTTP/1.1 requires. */
  readonly hasValidHost: boolean
  readonly signal: CancelSignal
  /** The bytes that the call counts for its connections to its caller and to the LLM API: half of what they take. */
  readonly connectionBytes: number
  /** The share of the memory account that the calls of this connection hold. */
  readonly share: MemoryShare
  /** Notes the router's path for the call's connection: connections that wait to be read take turns by router. */
  noteRouter(path: string): void
  admitBody(limits: BodyLimits, memory: CallMemory): BodyRefusal | undefined
  readBody(reading: ReadBodyOptions): Promise<BodyResult>
  /**
   * Discards an unread body; a body too large to discard, or of unknown length, closes the connection after the answer.
   */
  refuseBody(): void
  /** Ends the connection of a call that can't be answered. */
  cut(): void
  createReply(session: { readonly canonical: string; readonly value: string }, stallTimeoutMs: number): Reply
}

/** The state of one call from match to record. */
export type Transaction = {
  readonly runtime: RuntimeConfig
  readonly ids: CallIds
  readonly method: string
  readonly route: Route
  readonly subpath: string
  readonly query: string
  readonly headers: HeaderMap
  readonly call: Call
  readonly reply: Reply
  /** The bytes of the gateway's memory that this call holds. */
  readonly memory: CallMemory
  readonly timestamps: Timestamps
  /** True for a caller that speaks Anthropic's API and gets errors in its format. */
  readonly isAnthropic: boolean
  /**
   * The bytes of memory that the head takes beside the call's own; 0 for a usual head. A record with more takes
   * milliseconds, so that it is made in a turn of the work queue.
   */
  readonly headBytes: number
  /** The request body's memory where the gateway frees it by hand, with the call's own lease. */
  bodyMemory: { readonly leased: LeasedMemory; readonly lease: Lease } | undefined
  /** True once the call has found room for its record; only the records of such calls are journalled. */
  foundRecordRoom: boolean
  /** The ticket of this call's record in the journal. */
  ticket: RecordTicket | undefined
  /**
   * Resolves once the record was journalled and the answer has left, with false where the caller left before; never
   * rejects.
   */
  sending: Promise<boolean> | undefined
  request: RequestSide | undefined
  response: ResponseSide | undefined
}

/** The timestamps of a call; undefined for a moment that didn't occur. */
export type Timestamps = {
  readonly ingress: Instant
  outbound: Instant | undefined
  firstByte: Instant | undefined
  inbound: Instant | undefined
  egress: Instant | undefined
}

import { isJsonObject } from '@llm-gateway/protocol'
import type { Answer, AnswerText, AnyAnswer } from '@llm-gateway/sdk'
import { encodeRecording, replayOf } from './recording.ts'
import type { RecordingStore } from './recordings.ts'
import { replayedRouter } from './router-path.ts'
import { NOT_RECORDED, type NotRecorded, type TakeOptions, takeRecording } from './take-recording.ts'

export type MockOptions = TakeOptions & {
  readonly store: RecordingStore
  /** Resolves after the replay's delay (LAMBDA). */
  readonly wait: () => Promise<void>
  readonly count: MockCounts
}

/** Counts outcomes of answers that could be recorded, and calls to replay routers. */
export type MockCounts = {
  recording(outcome: 'recorded' | 'too large' | 'too deep' | 'no answer' | 'cut' | 'incomplete message'): void
  replay(): void
  empty(): void
}

type Message = ReadonlyMap<string, unknown>

/** The status when the response row gives no answer: a 200 would look like the LLM API's. */
const NOT_REPLAYED_YET = 503

const EMPTY_STATUS = 404
const EMPTY = { error: { code: 'MOCK_EMPTY', message: 'Nothing has been recorded for this path.' } }

/**
 * Answers one message (docs/reference/processors.md#mock). In the request phase of a replay router, the reply is a
 * control whose payload names the recorded router. In its response phase, the reply is the recording of the router that
 * the payload names. In the response phase of other routers, the answer is recorded.
 */
export function createMock(options: MockOptions): (message: Message) => Promise<AnyAnswer> {
  const replaying = { ...options, replays: new WeakMap<Uint8Array, AnswerText>() }
  return async (message) => {
    const replayed = replayedRouter(options.routersPrefix, message.get('gl_path'))
    if (!isResponse(message)) return replayed === undefined ? undefined : await choose(message, replayed, options)
    return replayed === undefined ? record(message, options) : await replay(message, replayed, replaying)
  }
}

/**
 * Makes the function that answers a large message from the value that a thread returned for it: a recording, the reason
 * for no recording, or the small fields.
 */
export function createConclusion(options: MockOptions): (value: unknown) => Promise<AnyAnswer> {
  const answer = createMock(options)
  return async (value) => {
    if (value instanceof Map) return await answer(value)
    const read = largeRecording(value)
    if (read.kind === 'recording') keep(read, options)
    else noteMissing(read.reason, options)
    return undefined
  }
}

/** Returns whether a message holds an answer that may be recorded; a replay's may not. */
export function isRecordable(message: Message, routersPrefix: string): boolean {
  return isResponse(message) && replayedRouter(routersPrefix, message.get('gl_path')) === undefined
}

function isResponse(message: Message): boolean {
  return ['egress_status_code', 'egress_payload', 'egress_headers'].some((name) => message.has(name))
}

async function choose(message: Message, replayed: string, { store, count }: MockOptions): Promise<Answer> {
  const subpath = message.get('ingress_subpath')
  const path = `${replayed}${typeof subpath === 'string' ? subpath : ''}`
  const router = await store.longestPrefix(path, replayed)
  if (router !== undefined) return { control: router, control_status_code: NOT_REPLAYED_YET }
  count.empty()
  return { control: EMPTY, control_status_code: EMPTY_STATUS }
}

/** The answers of recordings that were replayed; they go with their recordings. */
type ReplayOptions = MockOptions & { readonly replays: WeakMap<Uint8Array, AnswerText> }

/** Replays the router chosen in the request phase, even when a longer path has been recorded since. */
async function replay(message: Message, replayed: string, options: ReplayOptions): Promise<AnyAnswer> {
  const { store, wait, count } = options
  const router = message.get('egress_payload')
  // The payload is another processor's control, MOCK_EMPTY, or an answer that is already replayed.
  if (typeof router !== 'string' || !router.startsWith(replayed) || !router.endsWith('/')) return undefined
  await wait()
  const bytes = await store.get(router)
  const answer = bytes === undefined ? undefined : keptReplay(bytes, options)
  if (answer === undefined) {
    count.empty()
    return { egress_payload: EMPTY, egress_headers: {}, egress_status_code: EMPTY_STATUS }
  }
  count.replay()
  return answer
}

/** Returns the answer of a recording, whose headers are read once however often it is replayed. */
function keptReplay(bytes: Uint8Array, { replays }: ReplayOptions): AnswerText | undefined {
  const answer = replays.get(bytes) ?? replayOf(bytes)
  if (answer !== undefined) replays.set(bytes, answer)
  return answer
}

function record(message: Message, options: MockOptions): undefined {
  const taken = takeRecording(message, options)
  if (taken.kind === 'not recorded') {
    noteMissing(taken.reason, options)
    return
  }
  keep({ routers: taken.routers, bytes: encodeRecording(taken.recording) }, options)
}

function keep({ routers, bytes }: EncodedRecording, { store, count }: MockOptions): void {
  for (const router of routers) {
    if (bytes === undefined) count.recording('too deep')
    else count.recording(store.set(router, bytes) ? 'recorded' : 'too large')
  }
}

function noteMissing(reason: NotRecorded['reason'], { count }: MockOptions): void {
  if (reason !== 'replay') count.recording(reason)
}

/** An encoded recording; without bytes when encoding failed. */
type EncodedRecording = { readonly routers: readonly string[]; readonly bytes: Uint8Array | undefined }

/** Reads a thread's result for an answer that may be recorded. */
function largeRecording(value: unknown): ({ readonly kind: 'recording' } & EncodedRecording) | NotRecorded {
  const { reason, routers, bytes }: Readonly<Record<string, unknown>> = isJsonObject(value) ? value : {}
  if (Array.isArray(routers)) {
    const paths = routers.filter((router) => typeof router === 'string')
    return { kind: 'recording', routers: paths, bytes: bytes instanceof Uint8Array ? bytes : undefined }
  }
  return { kind: 'not recorded', reason: NOT_RECORDED.find((known) => known === reason) ?? 'incomplete message' }
}

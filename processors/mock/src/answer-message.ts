import { isJsonObject } from '@llm-gateway/protocol'
import type { Answer } from '@llm-gateway/sdk'
import { decodeRecording, encodeRecording } from './recording.ts'
import type { RecordingStore } from './recordings.ts'
import { replayedRouter } from './router-path.ts'
import { NOT_RECORDED, type NotRecorded, type TakeOptions, takeRecording } from './take-recording.ts'

export type MockOptions = TakeOptions & {
  readonly store: RecordingStore
  /** Resolves when the next replay may leave (LAMBDA). */
  readonly wait: () => Promise<void>
  readonly count: MockCounts
}

/** What became of answers that could be recorded, and of calls to replay routers. */
export type MockCounts = {
  recording(outcome: 'recorded' | 'too large' | 'too deep' | 'no answer' | 'cut' | 'incomplete message'): void
  replay(): void
  empty(): void
}

type Message = ReadonlyMap<string, unknown>

/** What a caller gets where the response row gives no answer: not a 200 that looks like the LLM API's. */
const NOT_REPLAYED_YET = 503

const EMPTY_STATUS = 404
const EMPTY = { error: { code: 'MOCK_EMPTY', message: 'Nothing has been recorded for this path.' } }

/**
 * Answers one message (docs/reference/processors.md#mock). Request phase of a replay router: a control that names the
 * recorded router. Response phase of a replay router: the recording of the router that the payload names, which is that
 * control. Response phase of other routers: the answer is recorded.
 */
export function createMock(options: MockOptions): (message: Message) => Promise<Answer> {
  return async (message) => {
    const replayed = replayedRouter(options.routersPrefix, message.get('gl_path'))
    if (!isResponse(message)) return replayed === undefined ? undefined : await choose(message, replayed, options)
    return replayed === undefined ? record(message, options) : await replay(message, replayed, options)
  }
}

/** Makes the answer of what a thread has read of a large message: a recording, why there is none, or the small fields. */
export function createConclusion(options: MockOptions): (value: unknown) => Promise<Answer> {
  const answer = createMock(options)
  return async (value) => {
    if (value instanceof Map) return await answer(value)
    const read = largeRecording(value)
    if (read.kind === 'recording') keep(read, options)
    else noteMissing(read.reason, options)
    return undefined
  }
}

/** Whether a message is of an answer that may be recorded, and no replay's. */
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

/** The choice was made in the request phase: a longer path recorded since is another router's. */
async function replay(message: Message, replayed: string, { store, wait, count }: MockOptions): Promise<Answer> {
  const router = message.get('egress_payload')
  // Another processor's control, MOCK_EMPTY, or an answer that is replayed already.
  if (typeof router !== 'string' || !router.startsWith(replayed) || !router.endsWith('/')) return undefined
  await wait()
  const bytes = await store.get(router)
  const recording = bytes === undefined ? undefined : decodeRecording(bytes)
  if (recording === undefined) {
    count.empty()
    return { egress_payload: EMPTY, egress_headers: {}, egress_status_code: EMPTY_STATUS }
  }
  count.replay()
  const { payload, headers, status } = recording
  return { egress_payload: payload, egress_headers: headers, egress_status_code: status }
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

/** A recording as it is kept; without bytes where it can't be written again. */
type EncodedRecording = { readonly routers: readonly string[]; readonly bytes: Uint8Array | undefined }

/** What the thread says of an answer that may be recorded. */
function largeRecording(value: unknown): ({ readonly kind: 'recording' } & EncodedRecording) | NotRecorded {
  const { reason, routers, bytes }: Readonly<Record<string, unknown>> = isJsonObject(value) ? value : {}
  if (Array.isArray(routers)) {
    const paths = routers.filter((router) => typeof router === 'string')
    return { kind: 'recording', routers: paths, bytes: bytes instanceof Uint8Array ? bytes : undefined }
  }
  return { kind: 'not recorded', reason: NOT_RECORDED.find((known) => known === reason) ?? 'incomplete message' }
}

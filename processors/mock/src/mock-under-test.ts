import { AnswerText } from '@llm-gateway/sdk'
import { createMock, type MockCounts } from './answer-message.ts'
import { ownRecordings, type RecordingLimits, type RecordingStore, Recordings } from './recordings.ts'

export const LIMITS: RecordingLimits = { recordings: 100, recordingBytes: 1024 * 1024, totalBytes: 8 * 1024 * 1024 }
export const EMPTY = { error: { code: 'MOCK_EMPTY', message: 'Nothing has been recorded for this path.' } }

type Fields = Readonly<Record<string, unknown>>

export type MockUnderTest = {
  /** The counted outcomes, in order. */
  readonly counted: readonly string[]
  readonly send: (message: Fields) => Promise<Fields | undefined>
  /** Records an answer of a router with this payload. */
  readonly record: (path: string, payload: unknown, more?: Fields) => Promise<void>
  /** Returns the control of the request phase for a replay router's path and subpath. */
  readonly choose: (path: string, subpath?: string) => Promise<unknown>
  /** Runs both phases like the gateway. */
  readonly replay: (path: string, subpath?: string) => Promise<Replayed>
}

export type Replayed = {
  readonly control: unknown
  readonly payload: unknown
  readonly status: unknown
  readonly headers: unknown
}

export type MockChoices = {
  readonly store?: RecordingStore
  readonly limits?: Partial<RecordingLimits>
  readonly wait?: () => Promise<void>
  readonly routersPrefix?: string
  readonly sessionHeader?: string
}

export function mockUnderTest(choices: MockChoices = {}): MockUnderTest {
  const counted: string[] = []
  const count: MockCounts = {
    recording: (outcome) => void counted.push(outcome),
    replay: () => void counted.push('replay'),
    empty: () => void counted.push('empty'),
  }
  const answer = createMock({
    store: choices.store ?? ownRecordings(new Recordings({ ...LIMITS, ...choices.limits })),
    routersPrefix: choices.routersPrefix ?? '/mock',
    sessionHeader: choices.sessionHeader ?? 'Session-Id',
    wait: choices.wait ?? (async () => undefined),
    count,
  })
  // Parsed from JSON, `__proto__` included, like a message from the bus.
  const send = async (message: Fields): Promise<Fields | undefined> => {
    const given = await answer(new Map(Object.entries(JSON.parse(JSON.stringify(message)))))
    return given instanceof AnswerText ? JSON.parse(Buffer.from(given.join()).toString()) : given
  }
  const request = (path: string, subpath = ''): Promise<Fields | undefined> =>
    send({ gl_path: path, ingress_subpath: subpath })
  return {
    counted,
    send,
    record: async (path, payload, more) => {
      await send({ gl_path: path, egress_status_code: 200, egress_headers: {}, egress_payload: payload, ...more })
    },
    choose: async (path, subpath) => (await request(path, subpath))?.control,
    replay: async (path, subpath) => {
      const chosen = await request(path, subpath)
      const control = chosen?.control
      const before = {
        egress_payload: control,
        egress_headers: { 'Content-Type': ['application/json'] },
        egress_status_code: chosen?.control_status_code,
      }
      const after = { ...before, ...(await send({ gl_path: path, ...before })) }
      return {
        control,
        payload: after.egress_payload,
        status: after.egress_status_code,
        headers: after.egress_headers,
      }
    },
  }
}

import { isJsonObject } from '@llm-gateway/protocol'
import { NOT_RECORDED, type NotRecorded } from './take-recording.ts'

/** A recording as it is kept; without bytes where it can't be written again. */
export type EncodedRecording = { readonly routers: readonly string[]; readonly bytes: Uint8Array | undefined }

/** What the thread says of an answer that may be recorded. */
export function largeRecording(value: unknown): ({ readonly kind: 'recording' } & EncodedRecording) | NotRecorded {
  const { reason, routers, bytes }: Readonly<Record<string, unknown>> = isJsonObject(value) ? value : {}
  if (Array.isArray(routers)) {
    const paths = routers.filter((router) => typeof router === 'string')
    return { kind: 'recording', routers: paths, bytes: bytes instanceof Uint8Array ? bytes : undefined }
  }
  return { kind: 'not recorded', reason: NOT_RECORDED.find((known) => known === reason) ?? 'incomplete message' }
}

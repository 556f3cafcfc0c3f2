import { isJsonObject } from '@llm-gateway/protocol'
import { runMessageThread } from '@llm-gateway/sdk/thread'
import { isRecordable } from './answer-message.ts'
import { encodeRecording } from './recording.ts'
import { type TakeOptions, takeRecording } from './take-recording.ts'

/** No router's path is longer. */
const MOST_CHARACTERS = 4_096

// A large message holds an answer to record, or its row selects more fields than a replay needs.
await runMessageThread((data) => {
  const options = takeOptions(data)
  return (fields) => {
    if (!isRecordable(fields, options.routersPrefix)) return new Map([...fields].filter(([, value]) => isSmall(value)))
    const taken = takeRecording(fields, options)
    if (taken.kind === 'not recorded') return taken
    return { kind: 'recording', routers: taken.routers, bytes: encodeRecording(taken.recording) }
  }
})

function takeOptions(data: unknown): TakeOptions {
  const { routersPrefix, sessionHeader } = isJsonObject(data) ? data : {}
  return { routersPrefix: String(routersPrefix), sessionHeader: String(sessionHeader) }
}

function isSmall(value: unknown): boolean {
  return typeof value !== 'object' && !(typeof value === 'string' && value.length > MOST_CHARACTERS)
}

import { ConfError, type ParsedGlConfig, readDelivery } from '@llm-gateway/conf'
import { runThread } from '@llm-gateway/conf/thread'
import { checkConfig, parseConfig } from './check-config.ts'
import { referencesOf } from './read-config.ts'
import type { ReaderData, ReaderRequest, ReaderResponse } from './reader-messages.ts'
import { splitConfig } from './split-config.ts'

// The thread that `config-thread.ts` starts. The thread reads one configuration and answers requests about this
// configuration.
await runThread((data: ReaderData) => {
  let file: ParsedGlConfig | undefined
  let pieces: Iterator<ReaderResponse, void, undefined> | undefined
  return async (request: ReaderRequest): Promise<ReaderResponse> => {
    if (request.kind === 'read') {
      const read = await open(data)
      file = read.file
      return read.response
    }
    if (file === undefined) return UNREADABLE
    if (request.kind === 'check') pieces = resultPieces(checkConfig(file, request.acceptMissing))
    const next = pieces?.next()
    return next === undefined || next.done === true ? { kind: 'end' } : next.value
  }
})

const UNREADABLE: ReaderResponse = { kind: 'unreadable', code: 'INTERNAL', retry: 'never' }

async function open({
  source,
  memoryBytes,
}: ReaderData): Promise<{ readonly file?: ParsedGlConfig; readonly response: ReaderResponse }> {
  try {
    const delivery = await readDelivery(source)
    const file = parseConfig(delivery.bytes, referencesOf(source, delivery), memoryBytes)
    if (file === undefined) return { response: UNREADABLE }
    const { valuesRevision } = delivery
    return { file, response: { kind: 'read', fingerprint: file.fingerprint, valuesRevision } }
  } catch (error) {
    const code = error instanceof ConfError ? error.code : 'INTERNAL'
    return { response: { kind: 'unreadable', code, retry: 'soon' } }
  }
}

function resultPieces(result: ReturnType<typeof checkConfig>): Iterator<ReaderResponse, void, undefined> {
  if (result.kind === 'checked') return splitConfig(result.digest, result.config)
  return [result].values()
}

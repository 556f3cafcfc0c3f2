import { parentPort, workerData } from 'node:worker_threads'
import { ConfError, readDelivery } from '@llm-gateway/conf'
import { checkConfig, parseConfig } from './check-config.ts'
import { referencesOf } from './read-config.ts'
import type { ReaderData, ReaderRequest, ReaderResponse } from './reader-messages.ts'
import { splitConfig } from './split-config.ts'

// The thread that `config-thread.ts` starts. The thread reads one configuration and answers requests until it is terminated.
const answer = (text: ReaderResponse): void => parentPort?.postMessage(text)
await open(workerData)

async function open({ source, memoryBytes }: ReaderData): Promise<void> {
  try {
    const delivery = await readDelivery(source)
    const file = parseConfig(delivery.bytes, referencesOf(source, delivery), memoryBytes)
    if (file === undefined) return answer({ kind: 'unreadable', code: 'INTERNAL', isPermanent: true })
    let pieces: Iterator<ReaderResponse, void, undefined> | undefined
    parentPort?.on('message', (request: ReaderRequest) => {
      if (request.kind === 'check') pieces = resultPieces(checkConfig(file, request.acceptMissing))
      const next = pieces?.next()
      answer(next === undefined || next.done === true ? { kind: 'end' } : next.value)
    })
    answer({ kind: 'read', fingerprint: file.fingerprint, valuesRevision: delivery.valuesRevision })
  } catch (error) {
    answer({ kind: 'unreadable', code: error instanceof ConfError ? error.code : 'INTERNAL', isPermanent: false })
  }
}

function resultPieces(result: ReturnType<typeof checkConfig>): Iterator<ReaderResponse, void, undefined> {
  if (result.kind === 'checked') return splitConfig(result.digest, result.config)
  return [result].values()
}

import { parentPort, workerData } from 'node:worker_threads'
import { ConfError, readDelivery } from '@llm-gateway/conf'
import type { Answer, Question, ReadOrder } from './config-piece.ts'
import { configPieces } from './config-pieces.ts'
import { judge, openFile } from './judge-config.ts'
import { referencesOf } from './read-config.ts'

// The thread that `config-thread.ts` starts. It reads one configuration and answers questions until it is terminated.
const answer = (text: Answer): void => parentPort?.postMessage(text)
await open(workerData)

async function open({ place, memoryBytes }: ReadOrder): Promise<void> {
  try {
    const delivery = await readDelivery(place)
    const file = openFile(delivery.bytes, referencesOf(place, delivery), memoryBytes)
    if (file === undefined) return answer({ kind: 'unreadable', code: 'INTERNAL', lasting: true })
    let pieces: Iterator<Answer, void, undefined> | undefined
    parentPort?.on('message', (question: Question) => {
      if (question.kind === 'judge') pieces = verdictPieces(judge(file, question.acceptMissing))
      const next = pieces?.next()
      answer(next === undefined || next.done === true ? { kind: 'end' } : next.value)
    })
    answer({ kind: 'read', fingerprint: file.fingerprint, valuesRevision: delivery.valuesRevision })
  } catch (error) {
    answer({ kind: 'unreadable', code: error instanceof ConfError ? error.code : 'INTERNAL', lasting: false })
  }
}

function verdictPieces(verdict: ReturnType<typeof judge>): Iterator<Answer, void, undefined> {
  if (verdict.kind === 'checked') return configPieces(verdict.digest, verdict.config)
  return [verdict].values()
}

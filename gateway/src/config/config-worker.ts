import { ConfError, type GlFile, readDelivery } from '@llm-gateway/conf'
import { runThread } from '@llm-gateway/conf/thread'
import type { Answer, Question, ReadOrder } from './config-piece.ts'
import { configPieces } from './config-pieces.ts'
import { judge, openFile } from './judge-config.ts'
import { referencesOf } from './read-config.ts'

// The thread that `config-thread.ts` starts. It reads one configuration and answers questions about it.
await runThread((order: ReadOrder) => {
  let file: GlFile | undefined
  let pieces: Iterator<Answer, void, undefined> | undefined
  return async (question: Question): Promise<Answer> => {
    if (question.kind === 'read') {
      const read = await open(order)
      file = read.file
      return read.answer
    }
    if (file === undefined) return UNREADABLE
    if (question.kind === 'judge') pieces = verdictPieces(judge(file, question.acceptMissing))
    const next = pieces?.next()
    return next === undefined || next.done === true ? { kind: 'end' } : next.value
  }
})

const UNREADABLE: Answer = { kind: 'unreadable', code: 'INTERNAL', lasting: true }

async function open({ place, memoryBytes }: ReadOrder): Promise<{ readonly file?: GlFile; readonly answer: Answer }> {
  try {
    const delivery = await readDelivery(place)
    const file = openFile(delivery.bytes, referencesOf(place, delivery), memoryBytes)
    if (file === undefined) return { answer: UNREADABLE }
    const { valuesRevision } = delivery
    return { file, answer: { kind: 'read', fingerprint: file.fingerprint, valuesRevision } }
  } catch (error) {
    const code = error instanceof ConfError ? error.code : 'INTERNAL'
    return { answer: { kind: 'unreadable', code, lasting: false } }
  }
}

function verdictPieces(verdict: ReturnType<typeof judge>): Iterator<Answer, void, undefined> {
  if (verdict.kind === 'checked') return configPieces(verdict.digest, verdict.config)
  return [verdict].values()
}

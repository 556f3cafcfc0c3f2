import { parentPort, workerData } from 'node:worker_threads'
import { loadOnnxModel } from './onnx-model.ts'
import type { WorkerQuestion } from './onnx-scorer.ts'
import { ScoringError } from './scoring-error.ts'
import { onnxSettings } from './settings.ts'

// A thread of its own: the runtime computes a window in one go, in which the bus and the health port must be answered.
const port = parentPort
const loaded = await loadOnnxModel(onnxSettings.parse(workerData))
const stopped = new Set<number>()
/** Ids grow, and questions are answered in their order. */
let done = -1
let last: Promise<void> = Promise.resolve()

if ('setting' in loaded) {
  port?.postMessage({ kind: 'failed', ...loaded })
} else {
  const { score } = loaded
  port?.on('message', (question: WorkerQuestion) => {
    if (question.kind === 'stop') {
      if (question.id > done) stopped.add(question.id)
      return
    }
    const { id, texts } = question
    // One after the other: a window already takes all the cores it gets. It has no failure of its own.
    last = last.then(async () => {
      try {
        port.postMessage({ kind: 'scores', id, scores: await score(texts, () => stopped.has(id)) })
      } catch (error) {
        port.postMessage({ kind: 'error', id, code: error instanceof ScoringError ? error.code : 'MODEL' })
      }
      done = id
      stopped.delete(id)
    })
  })
  port?.postMessage({ kind: 'ready' })
}

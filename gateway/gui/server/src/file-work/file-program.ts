import { parentPort, workerData } from 'node:worker_threads'
import { fileAnswers } from './file-answers.ts'
import type { Asked, Told } from './file-messages.ts'

// The thread that `file-thread.ts` starts for large texts.
const { answer } = fileAnswers(workerData)
parentPort?.on('message', ({ id, question }: Asked) => {
  // Never rejects.
  void answer(question).then((value) => {
    const told: Told = { id, answer: value }
    parentPort?.postMessage(told, value.kind === 'request' ? [value.text.buffer] : [])
  })
})

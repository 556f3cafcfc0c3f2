import { parentPort, workerData } from 'node:worker_threads'
import { fileAnswers } from './file-answers.ts'
import type { NumberedAnswer, NumberedQuestion } from './file-messages.ts'

// The thread that `file-thread.ts` starts for large texts.
const { answer } = fileAnswers(workerData)
parentPort?.on('message', ({ id, question }: NumberedQuestion) => {
  // `answer` never rejects.
  void answer(question).then((value) => {
    const message: NumberedAnswer = { id, answer: value }
    parentPort?.postMessage(message, value.kind === 'request' ? [value.text.buffer] : [])
  })
})

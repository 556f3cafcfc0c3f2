import { runThread } from '@llm-gateway/sdk/thread'
import { fileAnswers } from './file-answers.ts'
import type { FileAnswer, FileOrder, FileQuestion } from './file-messages.ts'

// The thread that `file-work.ts` starts for large texts.
await runThread((order: FileOrder) => {
  const { answer } = fileAnswers(order)
  return async (question: FileQuestion, work): Promise<FileAnswer> => {
    const value = await answer(question)
    if (value.kind === 'request') work.transfer(value.text)
    return value
  }
})

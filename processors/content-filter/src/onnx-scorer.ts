import { createThread, type Logger, SettingsError, ThreadError } from '@llm-gateway/sdk'
import { readMessage } from './filter-reading.ts'
import { type Scorer, ScoringError } from './scores.ts'
import type { OnnxSettings } from './settings.ts'

/** The maximum of characters of all texts that wait for the model. */
const MOST_WAITING_CHARACTERS = 128 * 1024 * 1024
/** The tokenizer's memory is in V8's heap; the model's own is not. */
const HEAP_MEGABYTES = 2_048
/** Longer than the limit of any signal. */
const MOST_MS = 600_000

/**
 * Makes a scorer with a text classification model in a thread; rejects with a SettingsError when it can't be loaded.
 */
export async function createOnnxScorer(settings: OnnxSettings, logger: Logger): Promise<Scorer> {
  if (settings.directory === '') throw new SettingsError({ 'onnx.directory': 'required:' })
  const thread = createThread({
    program: new URL('./onnx-thread.ts', import.meta.url),
    data: settings,
    name: 'model',
    logger,
    heapMegabytes: HEAP_MEGABYTES,
    waitingWeight: MOST_WAITING_CHARACTERS,
  })
  try {
    await thread.start()
  } catch (error) {
    await thread.close()
    throw error
  }
  return {
    score: async (texts, signal) => {
      signal.throwIfAborted()
      const weight = texts.reduce((sum, text) => sum + text.length, 0)
      const read = readMessage(await withScoringError(thread.ask(texts, { weight, timeoutMs: MOST_MS, signal })))
      if (read.kind !== 'scores') throw new ScoringError('MODEL_OUTPUT')
      return read.scores
    },
    ready: () => thread.ready,
    close: () => thread.close(),
  }
}

async function withScoringError(answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof ThreadError) throw new ScoringError(error.code)
    throw error
  }
}

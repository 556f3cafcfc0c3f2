import { createThread, type Logger, SettingsError, ThreadError } from '@llm-gateway/sdk'
import type { ModelAnswer, ModelQuestion } from './onnx-model.ts'
import { highest, NO_SCORES, type Scorer, type Scores, ScoringError } from './scores.ts'
import type { OnnxSettings } from './settings.ts'
import { textWindows } from './text-windows.ts'

/** The tokenizer's memory is in V8's heap; the model's own is not. */
const HEAP_MEGABYTES = 2_048
/**
 * A window of a large model may take seconds. Whoever ends the thread within it ends the process, since the runtime
 * throws in its own thread. So a body that was given up has more than the usual second to end its window.
 */
const WINDOW_MS = 60_000
/** Longer than the limit of any signal. */
const MOST_MS = 600_000
/** A rough value for languages with blanks, used only for the first cut; then the tokens are counted. */
const CHARACTERS_PER_TOKEN = 4
/** Texts with more characters than this for each of their tokens aren't read, so they are refused uncounted. */
const MOST_CHARACTERS_PER_TOKEN = 32

type Ask = (question: ModelQuestion) => Promise<ModelAnswer>

/**
 * Makes a scorer with a text classification model in a thread; rejects with a SettingsError when it can't be loaded.
 * The thread is asked for one window at a time, so that requests take turns.
 */
export async function createOnnxScorer(settings: OnnxSettings, logger: Logger): Promise<Scorer> {
  if (settings.directory === '') throw new SettingsError({ 'onnx.directory': 'required:' })
  const thread = createThread<ModelQuestion, ModelAnswer>({
    program: new URL('./onnx-thread.ts', import.meta.url),
    data: settings,
    name: 'model',
    logger,
    heapMegabytes: HEAP_MEGABYTES,
    graceMs: WINDOW_MS,
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
      // All questions have one weight: a router's short texts would always go before another's long one.
      const options = { weight: 1, timeoutMs: MOST_MS, signal }
      const ask: Ask = (question) => withScoringError(thread.ask(question, options))
      return await scoreInWindows(texts, settings, ask)
    },
    ready: () => thread.ready,
    close: () => thread.close(),
  }
}

async function scoreInWindows(texts: readonly string[], settings: OnnxSettings, ask: Ask): Promise<Scores> {
  let scores = NO_SCORES
  for (const text of await windowsOf(texts, settings, ask)) {
    const answer = await ask({ kind: 'score', text })
    if (answer.kind !== 'scores') throw new ScoringError('MODEL_OUTPUT')
    scores = highest(scores, answer.scores)
  }
  return scores
}

/** Cuts texts into windows for the model. All tokens are counted before the first window is scored. */
async function windowsOf(texts: readonly string[], settings: OnnxSettings, ask: Ask): Promise<readonly string[]> {
  const characters = texts.reduce((sum, text) => sum + text.length, 0)
  if (characters > settings.max_tokens * MOST_CHARACTERS_PER_TOKEN) throw new ScoringError('TOO_MUCH_TEXT')
  const windows: string[] = []
  let tokens = 0
  for (const text of textWindows(texts, settings.window_tokens * CHARACTERS_PER_TOKEN)) {
    if (text.trim() === '') continue
    const answer = await ask({ kind: 'cut', text })
    if (answer.kind !== 'windows') throw new ScoringError('MODEL')
    for (const window of answer.windows) {
      tokens += window.tokens
      windows.push(window.text)
    }
    if (tokens > settings.max_tokens) throw new ScoringError('TOO_MUCH_TEXT')
  }
  return windows
}

async function withScoringError(answer: Promise<ModelAnswer>): Promise<ModelAnswer> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof ThreadError) throw new ScoringError(error.code)
    throw error
  }
}

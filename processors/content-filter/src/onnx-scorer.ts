import { Worker } from 'node:worker_threads'
import { SettingsError } from '@llm-gateway/sdk'
import type { LoadFailure } from './onnx-model.ts'
import type { Scorer, Scores } from './scores.ts'
import { ScoringError } from './scoring-error.ts'
import type { OnnxSettings } from './settings.ts'

export type WorkerQuestion =
  | { readonly kind: 'score'; readonly id: number; readonly texts: readonly string[] }
  | { readonly kind: 'stop'; readonly id: number }

type WorkerAnswer =
  | { readonly kind: 'ready' }
  | ({ readonly kind: 'failed' } & LoadFailure)
  | { readonly kind: 'scores'; readonly id: number; readonly scores: Scores }
  | { readonly kind: 'error'; readonly id: number; readonly code: string }

type Waiting = { readonly resolve: (scores: Scores) => void; readonly reject: (error: Error) => void }

/** Texts of all bodies that may wait for the model, in characters. */
const MAX_WAITING_CHARACTERS = 128 * 1024 * 1024

/** A text classification model in a thread; rejects with a SettingsError where it can't be loaded. */
export async function createOnnxScorer(settings: OnnxSettings): Promise<Scorer> {
  if (settings.directory === '') throw new SettingsError({ 'onnx.directory': 'required:' })
  const waiting = new Map<number, Waiting>()
  let waitingCharacters = 0
  let next = 0
  let isLost = false
  const loading = Promise.withResolvers<void>()
  const worker = new Worker(new URL('./onnx-worker.ts', import.meta.url), { workerData: settings })

  const lose = (error: Error): void => {
    isLost = true
    loading.reject(error)
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }
  worker.on('error', () => lose(new ScoringError('MODEL_LOST')))
  worker.on('exit', () => lose(new ScoringError('MODEL_LOST')))
  worker.on('message', (answer: WorkerAnswer) => {
    switch (answer.kind) {
      case 'ready':
        return loading.resolve()
      case 'failed':
        return loading.reject(new SettingsError({ [answer.setting]: answer.reason }))
      case 'scores':
        return waiting.get(answer.id)?.resolve(answer.scores)
      case 'error':
        return waiting.get(answer.id)?.reject(new ScoringError(answer.code))
      default:
        return answer satisfies never
    }
  })

  const close = async (): Promise<void> => {
    await worker.terminate()
  }
  try {
    await loading.promise
  } catch (error) {
    await close()
    throw error
  }
  return {
    score: async (texts, signal) => {
      signal.throwIfAborted()
      if (isLost) throw new ScoringError('MODEL_LOST')
      const characters = texts.reduce((sum, text) => sum + text.length, 0)
      if (waitingCharacters + characters > MAX_WAITING_CHARACTERS) throw new ScoringError('OVERLOADED')
      const id = next
      next += 1
      const { promise, resolve, reject } = Promise.withResolvers<Scores>()
      const stop = (): void => {
        worker.postMessage({ kind: 'stop', id } satisfies WorkerQuestion)
        reject(new ScoringError('TIMEOUT'))
      }
      waiting.set(id, { resolve, reject })
      waitingCharacters += characters
      signal.addEventListener('abort', stop, { once: true })
      worker.postMessage({ kind: 'score', id, texts } satisfies WorkerQuestion)
      try {
        return await promise
      } finally {
        signal.removeEventListener('abort', stop)
        waiting.delete(id)
        waitingCharacters -= characters
      }
    },
    close,
  }
}

import { runThread, SettingsError } from '@llm-gateway/sdk/thread'
import { loadOnnxModel } from './onnx-model.ts'
import { ScoringError } from './scores.ts'
import { onnxSettings } from './settings.ts'

// A thread of its own: the runtime computes a window without a pause, and the bus and the health port need answers
// meanwhile.
await runThread(async (data) => {
  const loaded = await loadOnnxModel(onnxSettings.parse(data))
  if ('setting' in loaded) throw new SettingsError({ [loaded.setting]: loaded.reason })
  return async (texts, work) => {
    if (!isTexts(texts)) throw new ScoringError('MODEL')
    return { scores: await loaded.score(texts, work.stopped) }
  }
})

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string')
}

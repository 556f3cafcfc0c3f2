import { runThread, SettingsError } from '@llm-gateway/sdk/thread'
import { loadOnnxModel, type ModelAnswer, type ModelQuestion } from './onnx-model.ts'
import { onnxSettings } from './settings.ts'

// A thread of its own: the runtime computes a window without a pause, and the bus and the health port need answers
// meanwhile.
await runThread<unknown, ModelQuestion>(async (data) => {
  const model = await loadOnnxModel(onnxSettings.parse(data))
  if ('setting' in model) throw new SettingsError({ [model.setting]: model.reason })
  return async ({ kind, text }, { stopped }): Promise<ModelAnswer> =>
    kind === 'cut'
      ? { kind: 'windows', windows: model.cut(text, stopped) }
      : { kind: 'scores', scores: await model.score(text) }
})

import { basename, dirname, resolve } from 'node:path'
import { labelCategories, outputScores } from './classification.ts'
import { type Scores, ScoringError } from './scores.ts'
import type { OnnxSettings } from './settings.ts'
import { type TokenWindow, tokenWindows } from './text-windows.ts'
import { loadTransformers, type Model, type Tokenizer } from './transformers.ts'

export type OnnxModel = {
  /** Cuts a text into windows that the model doesn't truncate; ends between two cuts where it is `stopped`. */
  cut(text: string, stopped: () => boolean): readonly TokenWindow[]
  /** Scores one window. */
  score(window: string): Promise<Scores>
}

/** A question to the model's thread, about no more text than the model computes in one step. */
export type ModelQuestion = { readonly kind: 'cut' | 'score'; readonly text: string }
export type ModelAnswer =
  | { readonly kind: 'windows'; readonly windows: readonly TokenWindow[] }
  | { readonly kind: 'scores'; readonly scores: Scores }

/** The reason why a model can't be used, by its setting. */
export type LoadFailure = { readonly setting: string; readonly reason: string }

/** Loads a text classification model and its tokenizer from a local directory, never from the network. */
export async function loadOnnxModel(settings: OnnxSettings): Promise<OnnxModel | LoadFailure> {
  const transformers = await loadTransformers(settings.package_directory)
  if (transformers === undefined) return { setting: 'onnx.package_directory', reason: 'package:' }
  const directory = resolve(settings.directory)
  transformers.env.localModelPath = `${dirname(directory)}/`
  const name = basename(directory)
  try {
    const tokenizer = await transformers.AutoTokenizer.from_pretrained(name, { local_files_only: true })
    const model = await transformers.AutoModelForSequenceClassification.from_pretrained(name, {
      local_files_only: true,
      dtype: settings.dtype,
      device: 'cpu',
    })
    return onnxModel(settings, tokenizer, model)
  } catch {
    // The package's messages hold paths. Whatever is missing, the setting to correct is the directory.
    return { setting: 'onnx.directory', reason: 'model:' }
  }
}

function onnxModel(settings: OnnxSettings, tokenizer: Tokenizer, model: Model): OnnxModel | LoadFailure {
  const labels = Object.entries(model.config.id2label ?? {}).sort(([a], [b]) => Number(a) - Number(b))
  const categories = labelCategories(
    labels.map(([, label]) => label),
    settings.labels,
  )
  if (categories.every((category) => category === undefined)) return { setting: 'onnx.labels', reason: 'labels:' }
  const encode = (text: string) => tokenizer([text], { padding: false, truncation: false })
  return {
    cut: (text, stopped) => {
      const countTokens = (part: string): number => {
        if (stopped()) throw new ScoringError('STOPPED')
        return encode(part).input_ids.dims.at(-1) ?? 0
      }
      const windows = tokenWindows(text, { windowTokens: settings.window_tokens, countTokens })
      if (windows === undefined) throw new ScoringError('TOO_MUCH_TEXT')
      return windows
    },
    score: async (window) => {
      const { logits } = await model(encode(window))
      const row = [...logits.data].map(Number)
      if (row.length !== categories.length || !row.every(Number.isFinite)) throw new ScoringError('MODEL_OUTPUT')
      return outputScores(row, categories, settings.activation)
    },
  }
}

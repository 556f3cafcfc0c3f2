import { basename, dirname, resolve } from 'node:path'
import { labelCategories, outputScores } from './classification.ts'
import { highest, NO_SCORES, type Scores, ScoringError } from './scores.ts'
import type { OnnxSettings } from './settings.ts'
import { textWindows, tokenWindows } from './text-windows.ts'
import { loadTransformers, type Model, type Tokenizer } from './transformers.ts'

export type OnnxModel = {
  /** Yields to the event loop after each window, where `stopped` ends the work. */
  score(texts: readonly string[], stopped: () => boolean): Promise<Scores>
}

/** The reason why a model can't be used, by its setting. */
export type LoadFailure = { readonly setting: string; readonly reason: string }

/** A rough value for languages with blanks, used only for the first cut; then the tokens are counted. */
const CHARACTERS_PER_TOKEN = 4

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
    score: async (texts, stopped) => {
      const windows = tokenWindows(textWindows(texts, settings.window_tokens * CHARACTERS_PER_TOKEN), {
        windowTokens: settings.window_tokens,
        maxTokens: settings.max_tokens,
        countTokens: (text) => encode(text).input_ids.dims.at(-1) ?? 0,
      })
      if (windows === undefined) throw new ScoringError('TOO_MUCH_TEXT')
      let scores = NO_SCORES
      for (const { text } of windows) {
        if (stopped()) throw new ScoringError('STOPPED')
        const { logits } = await model(encode(text))
        const row = [...logits.data].map(Number)
        if (row.length !== categories.length || !row.every(Number.isFinite)) throw new ScoringError('MODEL_OUTPUT')
        scores = highest(scores, outputScores(row, categories, settings.activation))
      }
      return scores
    },
  }
}

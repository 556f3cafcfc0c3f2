import { numberSetting } from '@llm-gateway/sdk/settings'
import { z } from 'zod'
import { CATEGORIES } from './scores.ts'

const MAX_STATUS = 599
const MEBI = 1024 * 1024
const MAX_TIMEOUT_MS = 600_000

/** A model's or an endpoint's name of a category → one of the six. */
const categories = z.record(z.string(), z.enum(CATEGORIES))

/** Settings of a text classification model in a local directory. */
export const onnxSettings = z.object({
  /** Holds config.json, tokenizer.json, tokenizer_config.json and onnx/model.onnx. */
  directory: z.string().default(''),
  /** Label of the model → category; other labels count when they are a category's name. */
  labels: categories.default({}),
  /** `sigmoid`: each label is independent; `softmax`: the labels exclude each other; `none`: the outputs are scores. */
  activation: z.enum(['sigmoid', 'softmax', 'none']).default('sigmoid'),
  dtype: z.enum(['fp32', 'fp16', 'q8', 'int8', 'uint8', 'q4']).default('fp32'),
  window_tokens: numberSetting({ min: 16, max: 32_768 }).default(256),
  /** The maximum of tokens of one body; longer texts get no answer. */
  max_tokens: numberSetting({ min: 16 }).default(65_536),
  /** The folder of the package @huggingface/transformers; empty: this program's own. */
  package_directory: z.string().default(''),
})

/** Settings of a moderation endpoint. */
export const endpointSettings = z.object({
  url: z.string().default('https://api.openai.com/v1/moderations'),
  api_key: z.string().default(''),
  model: z.string().default('omni-moderation-latest'),
  /** Category of the endpoint → category; replaces the default mapping unless empty. */
  categories: categories.default({}),
  timeout_ms: numberSetting({ min: 1, max: MAX_TIMEOUT_MS }).default(5_000),
  /** The maximum of characters of one input; longer texts are sent in several. */
  window_characters: numberSetting({ min: 256, max: 100_000 }).default(8_000),
  /** The maximum of characters of one body; longer texts get no answer. */
  max_characters: numberSetting({ min: 256 }).default(1_000_000),
})

/** The content filter's settings file. */
export const contentFilterSettings = z.object({
  /** A request with a score above it is rejected. */
  threshold: numberSetting({ min: 0, max: 1 }).default(0.5),
  reject_status: numberSetting({ min: 200, max: MAX_STATUS }).pipe(z.int()).default(403),
  /** `annotate`: scores and `is_toxic` are written, and no request is rejected. */
  action: z.enum(['reject', 'annotate']).default('reject'),
  texts: z.enum(['specified', 'all_user', 'all']).default('specified'),
  max_characters: numberSetting({ min: 1 }).default(64 * MEBI),
  timeout_ms: numberSetting({ min: 1, max: MAX_TIMEOUT_MS }).default(60_000),
  scorer: z.enum(['built_in', 'onnx', 'endpoint']).default('built_in'),
  onnx: onnxSettings.prefault({}),
  endpoint: endpointSettings.prefault({}),
})

export type ContentFilterSettings = z.infer<typeof contentFilterSettings>
export type OnnxSettings = z.infer<typeof onnxSettings>
export type EndpointSettings = z.infer<typeof endpointSettings>

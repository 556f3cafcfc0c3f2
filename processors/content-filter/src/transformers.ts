import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

type Options = { readonly local_files_only: true; readonly dtype?: string; readonly device?: 'cpu' }
type Tensor = { readonly data: Iterable<number | bigint>; readonly dims: readonly number[] }
type Encoded = { readonly input_ids: Tensor }

export type Tokenizer = (
  texts: readonly string[],
  options: { readonly padding: boolean; readonly truncation: boolean },
) => Encoded

export type Model = {
  (inputs: Encoded): Promise<{ readonly logits: Tensor }>
  readonly config: { readonly id2label?: Readonly<Record<string, string>> }
  dispose(): Promise<unknown>
}

/** The parts of the package @huggingface/transformers that we use. */
export type Transformers = {
  readonly env: {
    allowRemoteModels: boolean
    allowLocalModels: boolean
    localModelPath: string
    useFSCache: boolean
  }
  readonly AutoTokenizer: { from_pretrained(name: string, options: Options): Promise<Tokenizer> }
  readonly AutoModelForSequenceClassification: { from_pretrained(name: string, options: Options): Promise<Model> }
}

const PACKAGE = '@huggingface/transformers'

/** Loads the package, which only ONNX models need, and forbids it the network; undefined when it isn't installed. */
export async function loadTransformers(directory: string): Promise<Transformers | undefined> {
  const loaded: unknown = await importFrom(directory).catch(missing)
  if (!isTransformers(loaded)) return undefined
  loaded.env.allowRemoteModels = false
  loaded.env.allowLocalModels = true
  loaded.env.useFSCache = false
  return loaded
}

async function importFrom(directory: string): Promise<unknown> {
  if (directory === '') return await import(PACKAGE)
  const require = createRequire(join(directory, 'package.json'))
  return await import(pathToFileURL(require.resolve(PACKAGE)).href)
}

/** Returns undefined for a missing package and rethrows all other errors. */
function missing(error: unknown): undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') return undefined
  throw error
}

function isTransformers(value: unknown): value is Transformers {
  return (
    typeof value === 'object' &&
    value !== null &&
    ['env', 'AutoTokenizer', 'AutoModelForSequenceClassification'].every((name) => name in value)
  )
}

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onnxFile } from './onnx-file-under-test.ts'

export type TinyModel = { readonly directory: string; [Symbol.asyncDispose](): Promise<void> }

const WORDS = ['[UNK]', '[PAD]', 'hello', 'fool', 'doom'] as const
const LABELS = ['toxic', 'insult', 'menace'] as const
/** A row for each word, a column for each label. */
const TABLE = [
  [-4, -4, -4],
  [-4, -4, -4],
  [-4, -4, -4],
  [3, 4, -4],
  [4, -4, 3],
]

/**
 * Writes a text classification model that knows `fool` (toxic, insult) and `doom` (toxic, menace) into a directory. Each
 * of `products` makes a window take some tenths of a second.
 */
export async function writeTinyModel(products = 0): Promise<TinyModel> {
  const directory = await mkdtemp(join(tmpdir(), 'llm-gateway-model-'))
  await mkdir(join(directory, 'onnx'))
  await writeFile(join(directory, 'onnx/model.onnx'), onnxFile(TABLE, products))
  const label = Object.fromEntries(LABELS.map((name, index) => [index, name]))
  const files = {
    'config.json': {
      model_type: 'bert',
      architectures: ['BertForSequenceClassification'],
      id2label: label,
      num_labels: LABELS.length,
    },
    'tokenizer_config.json': {
      tokenizer_class: 'PreTrainedTokenizerFast',
      unk_token: '[UNK]',
      pad_token: '[PAD]',
      model_max_length: 32,
    },
    'tokenizer.json': {
      version: '1.0',
      truncation: null,
      padding: null,
      added_tokens: [],
      normalizer: { type: 'Lowercase' },
      pre_tokenizer: { type: 'Whitespace' },
      post_processor: null,
      decoder: null,
      model: { type: 'WordLevel', vocab: Object.fromEntries(WORDS.map((word, id) => [word, id])), unk_token: '[UNK]' },
    },
  }
  for (const [name, content] of Object.entries(files)) await writeFile(join(directory, name), JSON.stringify(content))
  return { directory, [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }) }
}

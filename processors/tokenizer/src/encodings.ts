import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Ranks } from './byte-pairs.ts'

/**
 * An encoding as js-tiktoken publishes it: the pattern that cuts a text into pieces and, in base64, the tokens by rank.
 */
type Published = { readonly pat_str: string; readonly bpe_ranks: string }

export type Encoding = {
  /** Cuts a text into pieces, each of which is encoded alone. */
  readonly pieces: RegExp
  readonly ranks: Ranks
}

// Loaded where needed: the largest takes a second and 30 MB.
const PUBLISHED = {
  gpt2: () => import('js-tiktoken/ranks/gpt2'),
  r50k_base: () => import('js-tiktoken/ranks/r50k_base'),
  p50k_base: () => import('js-tiktoken/ranks/p50k_base'),
  p50k_edit: () => import('js-tiktoken/ranks/p50k_edit'),
  cl100k_base: () => import('js-tiktoken/ranks/cl100k_base'),
  o200k_base: () => import('js-tiktoken/ranks/o200k_base'),
} as const

export type EncodingName = keyof typeof PUBLISHED

export const ENCODING_NAMES = [
  'gpt2',
  'r50k_base',
  'p50k_base',
  'p50k_edit',
  'cl100k_base',
  'o200k_base',
] as const satisfies readonly EncodingName[]

/** The tokens that are read in one turn; they take a few milliseconds. */
const TURN_TOKENS = 4_096

/** Loads an encoding in many turns, so that a message that waits for it can be given up in time. */
export async function loadEncoding(name: EncodingName): Promise<Encoding> {
  const { pat_str, bpe_ranks }: Published = (await PUBLISHED[name]()).default
  return { pieces: new RegExp(pat_str, 'gu'), ranks: await readRanks(bpe_ranks) }
}

/** Parses the ranks. Each line holds a mark, the rank of its first token, then tokens of consecutive ranks. */
async function readRanks(text: string): Promise<Ranks> {
  const ranks = new Map<string, number>()
  for (const line of text.split('\n')) {
    const [, first = '', ...tokens] = line.split(' ')
    for (const [index, token] of tokens.entries()) {
      ranks.set(Buffer.from(token, 'base64').toString('latin1'), Number.parseInt(first, 10) + index)
      if (ranks.size % TURN_TOKENS === 0) await nextTurn()
    }
  }
  return ranks
}

/** Prefixes of model names, the most specific first, as OpenAI documents them for tiktoken. */
const MODELS: readonly (readonly [beginning: RegExp, encoding: EncodingName])[] = [
  [/^(?:chatgpt-4o|gpt-4o|gpt-4\.1|gpt-4\.5|gpt-5|gpt-oss|o1|o3|o4)(?![a-z0-9])/, 'o200k_base'],
  [
    /^(?:gpt-4|gpt-3\.5|gpt-35|text-embedding-3|text-embedding-ada-002|babbage-002|davinci-002)(?![a-z0-9])/,
    'cl100k_base',
  ],
  [/^(?:text-davinci-00[23]|code-davinci-00[12]|code-cushman-00[12])(?![a-z0-9])/, 'p50k_base'],
  [/^(?:text-davinci-edit-001|code-davinci-edit-001)(?![a-z0-9])/, 'p50k_edit'],
  [/^(?:text-)?(?:davinci|curie|babbage|ada)(?:-001)?$/, 'r50k_base'],
  [/^gpt-?2(?![a-z0-9])/, 'gpt2'],
]
/** `ft:` of fine-tuned models; `openai/` and `azure/` of routers and multi-model servers. */
const PREFIX = /^(?:ft:)?(?:[a-z0-9_.-]{1,64}\/){0,3}/
/** Real model names are shorter. */
const MOST_CHARACTERS = 256

/** Returns the encoding of a model; undefined when js-tiktoken has none for it. */
export function encodingOfModel(model: unknown): EncodingName | undefined {
  if (typeof model !== 'string' || model.length > MOST_CHARACTERS) return undefined
  const name = model.trim().toLowerCase().replace(PREFIX, '')
  return MODELS.find(([beginning]) => beginning.test(name))?.[1]
}

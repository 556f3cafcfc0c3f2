import type { Ranks } from './byte-pairs.ts'

/** How js-tiktoken publishes an encoding: the pattern that cuts a text into pieces and, in base64, the tokens by rank. */
type Published = { readonly pat_str: string; readonly bpe_ranks: string }

export type Encoding = {
  /** Cuts a text into the pieces that are encoded each alone. */
  readonly pieces: RegExp
  readonly ranks: Ranks
}

// Loaded when first asked for: the largest of them takes a second and 30 MB.
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

export async function loadEncoding(name: EncodingName): Promise<Encoding> {
  const { pat_str, bpe_ranks }: Published = (await PUBLISHED[name]()).default
  return { pieces: new RegExp(pat_str, 'gu'), ranks: readRanks(bpe_ranks) }
}

/** Each line: a mark, the rank of its first token, then tokens of consecutive ranks. */
function readRanks(text: string): Ranks {
  const ranks = new Map<string, number>()
  for (const line of text.split('\n')) {
    const [, first = '', ...tokens] = line.split(' ')
    for (const [index, token] of tokens.entries()) {
      ranks.set(Buffer.from(token, 'base64').toString('latin1'), Number.parseInt(first, 10) + index)
    }
  }
  return ranks
}

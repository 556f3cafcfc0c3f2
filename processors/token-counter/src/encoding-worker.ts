import { runThread } from '@llm-gateway/sdk/thread'
import { Tiktoken } from 'js-tiktoken/lite'
import ranks from 'js-tiktoken/ranks/cl100k_base'
import { samplePieces } from './sample.ts'

// A thread of its own: loading the encoding takes most of a second and a text may take a quarter, in which caps must be checked.
await runThread(() => {
  const encoding = new Tiktoken(ranks)
  return (sample) => (typeof sample === 'string' ? countTokens(sample, encoding) : 0)
})

function countTokens(sample: string, encoding: Tiktoken): number {
  // Names of special tokens in an answer are text like any other.
  return samplePieces(sample).reduce((count, piece) => count + encoding.encode(piece, [], []).length, 0)
}

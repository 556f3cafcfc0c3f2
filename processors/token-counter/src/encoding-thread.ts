import { runThread } from '@llm-gateway/sdk/thread'
import { Tiktoken } from 'js-tiktoken/lite'
import ranks from 'js-tiktoken/ranks/cl100k_base'
import { samplePieces } from './sample.ts'

// A thread of its own, since caps must be checked meanwhile: loading the encoding takes most of a second, a text up to
// a quarter.
await runThread(() => {
  const encoding = new Tiktoken(ranks)
  return (sample) => (typeof sample === 'string' ? countTokens(sample, encoding) : 0)
})

function countTokens(sample: string, encoding: Tiktoken): number {
  // Names of special tokens in an answer count as plain text.
  return samplePieces(sample).reduce((count, piece) => count + encoding.encode(piece, [], []).length, 0)
}

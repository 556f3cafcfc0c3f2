import { mergeJson } from '../changes/merge-json.ts'
import { changeManifest, readManifest } from './manifest.ts'

export type ThreeTexts = { readonly base: string; readonly theirs: string; readonly yours: string }

/** Merges two changes into one text: yours with its comments, and theirs. In a place that both changed, yours stays. */
export function mergeManifests({ base, theirs, yours }: ThreeTexts): {
  readonly text: string
  /** Dotted paths of places that both changed. */
  readonly clashes: readonly string[]
} {
  const [before, their, your] = [readManifest(base), readManifest(theirs), readManifest(yours)]
  if ('problem' in before || 'problem' in their || 'problem' in your) return { text: yours, clashes: [''] }
  const merged = mergeJson({ base: before.value, theirs: their.value, yours: your.value })
  return {
    text: changeManifest(yours, [], merged.value),
    clashes: merged.clashes.map((path) => path.join('.')),
  }
}

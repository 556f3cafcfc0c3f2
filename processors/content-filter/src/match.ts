import type { Element } from './pattern.ts'

/** The words of a window, in order. */
export type Words = {
  readonly words: readonly string[]
  /** True for a word that ends a sentence. */
  readonly ends: readonly boolean[]
  /** True for a word before a comma or similar sign. */
  readonly pauses: readonly boolean[]
}

export type Match = {
  /** The index after the last word. */
  readonly end: number
  /** Indices of words that `!` elements hide. */
  readonly hidden: readonly number[]
  /** Indices of words that a gap skipped. */
  readonly passed: readonly number[]
}

type Path = { readonly hidden: readonly number[]; readonly passed: readonly number[] }

const FRESH: Path = { hidden: [], passed: [] }

/** Matches a pattern at `start`; undefined without a match. A match never crosses the end of a sentence. */
export function matchAt(elements: readonly Element[], text: Words, start: number): Match | undefined {
  return follow(elements, 0, { text, start, at: start, path: FRESH })
}

type Place = { readonly text: Words; readonly start: number; readonly at: number; readonly path: Path }

function follow(elements: readonly Element[], index: number, place: Place): Match | undefined {
  const element = elements[index]
  const { text, at, path, start } = place
  if (element === undefined) return { end: at, ...path }
  const next = (to: Place): Match | undefined => follow(elements, index + 1, to)
  switch (element.kind) {
    case 'start':
      return at === 0 || text.ends[at - 1] === true ? next(place) : undefined
    case 'end':
      return atEnd(text, start, at) ? next(place) : undefined
    case 'gap':
      return overGap(element.most, place, next)
    case 'some':
      return overSome(element, place, next)
    case 'word': {
      if (element.orEnd && atEnd(text, start, at)) return next(place)
      if (canRead(text, start, at) && element.words.has(text.words[at] ?? '')) {
        const hidden = element.hides ? [...path.hidden, at] : path.hidden
        const found = next({ ...place, at: at + 1, path: { ...path, hidden } })
        if (found !== undefined) return found
      }
      return element.optional ? next(place) : undefined
    }
    default:
      return element satisfies never
  }
}

/** Tries the longest run of listed words first, so that the next element gets a listed word only if needed. */
function overSome(
  element: { readonly words: ReadonlySet<string>; readonly most: number },
  place: Place,
  next: (to: Place) => Match | undefined,
): Match | undefined {
  const { text, start } = place
  let at = place.at
  while (at - place.at < element.most && canRead(text, start, at) && element.words.has(text.words[at] ?? '')) at += 1
  for (; at >= place.at; at -= 1) {
    const found = next({ ...place, at })
    if (found !== undefined) return found
  }
  return undefined
}

/** Tries the shortest gap first, since the nearest words belong together. */
function overGap(most: number, place: Place, next: (to: Place) => Match | undefined): Match | undefined {
  let { at, path } = place
  for (let passed = 0; passed <= most; passed += 1) {
    const found = next({ ...place, at, path })
    if (found !== undefined) return found
    if (!canRead(place.text, place.start, at)) return undefined
    path = { ...path, passed: [...path.passed, at] }
    at += 1
  }
  return undefined
}

function canRead(text: Words, start: number, at: number): boolean {
  return at < text.words.length && (at === start || text.ends[at - 1] !== true)
}

function atEnd(text: Words, start: number, at: number): boolean {
  return at === text.words.length || (at > start && (text.ends[at - 1] === true || text.pauses[at - 1] === true))
}

import { expand } from './env-reference.ts'
import type { References } from './types.ts'

/** A path in segments as they leave; null stands for one whose configured text holds a reference: nobody is shown it. */
export type ShownPath = readonly (string | null)[]

/** Of the path in an address as it is written; undefined where no segment of it holds a reference. */
export function shownUrlPath(written: string, expanded: string, references: References): ShownPath | undefined {
  const slash = pathStart(written)
  if (slash === -1) return undefined
  const before = rawPath(expand(written.slice(0, slash), references).text)
  return shownSegments(written.slice(slash), references, { before, path: rawPath(expanded) })
}

/** Of `outbound.endpoint`, the same. */
export function shownEndpointPath(written: string, expanded: string, references: References): ShownPath | undefined {
  return shownSegments(written, references, { before: '', path: withoutQuery(expanded) })
}

/** The path of an absolute address as it is written: URL would resolve dots and re-encode. */
export function rawPath(url: string): string {
  const text = withoutQuery(url)
  const slash = pathStart(text)
  return slash === -1 ? '' : text.slice(slash)
}

/** @param whole the text before the segments, and what all of it comes to */
function shownSegments(
  written: string,
  references: References,
  whole: { readonly before: string; readonly path: string },
): ShownPath | undefined {
  const segments = withoutQuery(written)
    .split('/')
    .map((segment) => expand(segment, references))
  if (segments.every(({ names }) => names.length === 0)) return undefined
  // A value that holds a question mark, say, ends the path where its text doesn't: then nothing of it is shown.
  if (whole.before + segments.map(({ text }) => text).join('/') !== whole.path) return ['', null]
  const [first, ...rest] = segments.map(({ text, names }) => (names.length > 0 ? null : text))
  return first === null || first === undefined ? [null, ...rest] : [whole.before + first, ...rest]
}

function pathStart(url: string): number {
  const scheme = url.indexOf('://')
  return url.indexOf('/', scheme === -1 ? 0 : scheme + 3)
}

function withoutQuery(text: string): string {
  const [path = ''] = text.split('?', 1)
  return path
}

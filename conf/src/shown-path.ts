import { expand, type References } from './env-reference.ts'

/** A path in segments; null stands for a segment with a reference, which is never shown. */
export type ShownPath = readonly (string | null)[]

/** Returns the shown path of a written url; undefined where no segment contains a reference. */
export function shownUrlPath(written: string, expanded: string, references: References): ShownPath | undefined {
  const slash = pathStart(written)
  if (slash === -1) return undefined
  const before = rawPath(expand(written.slice(0, slash), references).text)
  return shownSegments(written.slice(slash), references, { before, path: rawPath(expanded) })
}

/** Returns the shown path of a written `outbound.endpoint`; undefined where no segment contains a reference. */
export function shownEndpointPath(written: string, expanded: string, references: References): ShownPath | undefined {
  return shownSegments(written, references, { before: '', path: withoutQuery(expanded) })
}

/** Returns the path of an absolute address as written; URL would resolve dots and re-encode. */
export function rawPath(url: string): string {
  const text = withoutQuery(url)
  const slash = pathStart(text)
  return slash === -1 ? '' : text.slice(slash)
}

/** @param whole the text before the segments, and the whole expanded path */
function shownSegments(
  written: string,
  references: References,
  whole: { readonly before: string; readonly path: string },
): ShownPath | undefined {
  const segments = withoutQuery(written)
    .split('/')
    .map((segment) => expand(segment, references))
  if (segments.every(({ names }) => names.length === 0)) return undefined
  // A value with a question mark, for example, ends the path elsewhere than its text; the whole path is hidden then.
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

import { type FailedField, type FieldPath, MASKED } from '@llm-gateway/gui-api'
import type { Node } from 'jsonc-parser'
import { jsonTree, pathKey, replaceStrings, type StringPlace, stringPlaces } from './json-places.ts'
import { joinParts, maskParts, type SecretNames, type SplitText, secretParts, staysHidden } from './secret-parts.ts'

export type MaskedText = { readonly text: string; readonly paths: readonly FieldPath[] }

/** Masks the secrets of a JSON text. Returns no text if it is not JSON, because its secrets can't be found. */
export function maskJson(text: string, names: SecretNames): MaskedText {
  const tree = jsonTree(text)
  if (tree === undefined) return { text: '', paths: [] }
  const hidden = [...splitPlaces(tree, names)].filter(({ split }) => split.parts.length > 0)
  const changes = hidden.map(({ place, split }) => ({ ...place, next: maskParts(split) }))
  return { text: replaceStrings(text, changes), paths: hidden.map(({ place }) => place.path) }
}

export type Unmasked =
  | { readonly kind: 'text'; readonly text: string }
  /** Masks stand where the source has no secret. */
  | { readonly kind: 'nowhere'; readonly fields: readonly FailedField[] }

/** The texts that secrets are taken from: the edited one and, for a merge, also the live one and their common base. */
export type SecretSources = { readonly own: string; readonly merged?: { readonly base: string; readonly live: string } }

/**
 * Puts secrets back in place of their masks; routers are matched by their paths. In a merge the changed secret wins. If
 * both texts changed a secret, its mask is refused.
 */
export function unmaskJson(text: string, { own, merged }: SecretSources, names: SecretNames): Unmasked {
  if (!text.includes(MASKED)) return { kind: 'text', text }
  const tree = jsonTree(text)
  if (tree === undefined) return { kind: 'text', text }
  const [ours, base, live] = [own, merged?.base ?? own, merged?.live ?? own].map((source) =>
    lookUpIn(jsonTree(source), tree, names),
  )
  return fillMasks(text, [...stringPlaces(tree)], {
    secretAt: ({ path }) => mergedSplit(ours?.(path), base?.(path), live?.(path)),
    isHidden: (split, { path }) => staysHidden(split, path, names),
  })
}

function mergedSplit(
  ours: SplitText | undefined,
  base: SplitText | undefined,
  live: SplitText | undefined,
): SplitText | undefined {
  const [own, before, now] = [ours, base, live].map((split) => JSON.stringify(split?.parts ?? []))
  if (own === now || own === before) return (live?.parts.length ?? 0) > 0 ? live : ours
  return now === before || (live?.parts.length ?? 0) === 0 ? ours : undefined
}

function lookUpIn(old: Node | undefined, tree: Node, names: SecretNames): (path: FieldPath) => SplitText | undefined {
  const secrets = secretsOf(old, names)
  const from = sourceIndexes(routerPaths(tree), old === undefined ? [] : routerPaths(old))
  return (path) => secrets.get(pathKey(sourcePath(path, from)))
}

export type WrittenValue = {
  readonly value: unknown
  readonly to: FieldPath
  /** The path in the source whose secrets the value keeps. */
  readonly from: FieldPath
}

/** Puts secrets back into a value that a change writes. */
export function unmaskValue(
  { value, to, from }: WrittenValue,
  { source, names }: { readonly source: string; readonly names: SecretNames },
): Unmasked {
  const text = JSON.stringify(value)
  if (!text.includes(MASKED)) return { kind: 'text', text }
  const [tree, secrets] = [jsonTree(`[${text}]`), secretsOf(jsonTree(source), names)]
  const node = tree?.children?.[0]
  if (node === undefined) return { kind: 'nowhere', fields: [{ path: [], message: 'too deep' }] }
  // The offsets include the opening bracket.
  const places = [...stringPlaces(node)].map((place) => ({ ...place, start: place.start - 1, end: place.end - 1 }))
  return fillMasks(text, places, {
    secretAt: ({ path }) => secrets.get(pathKey([...from, ...path])),
    isHidden: (split, { path }) => staysHidden(split, [...to, ...path], names),
  })
}

type FillOptions = {
  readonly secretAt: (place: StringPlace) => SplitText | undefined
  /** False if the secret would be shown at that place. */
  readonly isHidden: (split: SplitText, place: StringPlace) => boolean
}

function fillMasks(text: string, places: readonly StringPlace[], { secretAt, isHidden }: FillOptions): Unmasked {
  const nowhere: FailedField[] = []
  const changes = places.flatMap((place) => {
    const texts = place.value.split(MASKED)
    if (texts.length === 1) return []
    const { parts = [] } = secretAt(place) ?? {}
    if (parts.length === texts.length - 1 && isHidden({ texts, parts }, place))
      return [{ ...place, next: joinParts({ texts, parts }) }]
    nowhere.push({
      path: place.path,
      message: 'No value was masked in this place. Write the value or a reference such as ${NAME}.',
    })
    return []
  })
  if (nowhere.length > 0) return { kind: 'nowhere', fields: nowhere.slice(0, 20) }
  return { kind: 'text', text: replaceStrings(text, changes) }
}

function* splitPlaces(tree: Node, names: SecretNames): Generator<{ place: StringPlace; split: SplitText }> {
  for (const place of stringPlaces(tree)) yield { place, split: secretParts(place.path, place.value, names) }
}

/** Maps paths to their secrets. Of repeated keys the last counts, as for every reader of the file. */
function secretsOf(tree: Node | undefined, names: SecretNames): ReadonlyMap<string, SplitText> {
  const splits = tree === undefined ? [] : [...splitPlaces(tree, names)]
  return new Map(splits.map(({ place, split }) => [pathKey(place.path), split]))
}

/** Returns the `path` of each router by its index; undefined for a router without one. */
function routerPaths(tree: Node): readonly (string | undefined)[] {
  const routers = member(tree, 'routers')
  return (routers?.children ?? []).map((router) => {
    const path = member(router, 'path')
    return path?.type === 'string' ? String(path.value) : undefined
  })
}

function member(node: Node, name: string): Node | undefined {
  if (node.type !== 'object') return undefined
  return node.children?.findLast(({ children: [key] = [] }) => key?.value === name)?.children?.[1]
}

/**
 * Maps each router to its index in the source, or -1. A router gets no secrets of another router that had its index
 * before, so that no key goes to a foreign address. A router counts as renamed when its path is new and the path
 * formerly at its index is gone.
 */
function sourceIndexes(
  paths: readonly (string | undefined)[],
  old: readonly (string | undefined)[],
): readonly number[] {
  const [first, last] = [new Map<string | undefined, number>(), new Map<string | undefined, number>()]
  for (const [index, path] of old.entries()) {
    if (!first.has(path)) first.set(path, index)
    last.set(path, index)
  }
  const kept = new Set(paths)
  return paths.map((path, index) => {
    const from = first.get(path) ?? -1
    if (from >= 0 && from === last.get(path) && path !== undefined) return from
    const isRenamed = paths.length === old.length && !kept.has(old[index])
    return from < 0 && isRenamed ? index : from === index ? index : -1
  })
}

function sourcePath(path: FieldPath, from: readonly number[]): FieldPath {
  const [first, index, ...rest] = path
  return first === 'routers' && typeof index === 'number' ? [first, from[index] ?? -1, ...rest] : path
}

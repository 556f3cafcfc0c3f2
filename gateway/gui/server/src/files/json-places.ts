import { type DecodedFile, decodeFile } from '@llm-gateway/conf/editor'
import type { FieldPath } from '@llm-gateway/gui-api'
import { type Node, parseTree } from 'jsonc-parser'

/** A string in a JSON text: where it stands, and where its literal lies. */
export type StringPlace = {
  readonly path: FieldPath
  readonly value: string
  readonly start: number
  readonly end: number
}

/** About 500,000 values: 10,000 routers, and a few seconds for a thread. Programs themselves read larger files. */
const MOST_PARSED_BYTES = 64 * 1024 * 1024

/** A JSON text's value, or the check's reason why it has none here. */
export function decodedJson(text: string): DecodedFile {
  return decodeFile(Buffer.from(text), MOST_PARSED_BYTES)
}

/** Whether a text is JSON of more values than can be worked on here. */
export function isTooLarge(text: string): boolean {
  const decoded = decodedJson(text)
  return decoded.kind === 'broken' && decoded.reason === 'size:'
}

/** The tree of a JSON text; undefined for what isn't JSON, or is deeper or larger than what can be edited here. */
export function jsonTree(text: string): Node | undefined {
  return decodedJson(text).kind === 'decoded' ? parseTree(text) : undefined
}

/** Every string below a node that is a value, doubled keys included; in headers numbers too, which are a mistake there. */
export function* stringPlaces(node: Node, path: FieldPath = []): Generator<StringPlace> {
  const { type, offset, length, children = [] } = node
  if (type === 'string' || (type === 'number' && path.includes('headers')))
    yield { path, value: String(node.value), start: offset, end: offset + length }
  if (type === 'array') for (const [index, child] of children.entries()) yield* stringPlaces(child, [...path, index])
  if (type !== 'object') return
  for (const { children: [key, value] = [] } of children)
    if (key !== undefined && value !== undefined) yield* stringPlaces(value, [...path, String(key.value)])
}

/** Puts other strings into the places, the rest of the text stays as it is. */
export function replaceStrings(text: string, changes: readonly (StringPlace & { readonly next: string })[]): string {
  let result = ''
  let at = 0
  for (const { start, end, next } of changes.toSorted((one, other) => one.start - other.start)) {
    result += text.slice(at, start) + JSON.stringify(next)
    at = end
  }
  return result + text.slice(at)
}

export function pathKey(path: FieldPath): string {
  return JSON.stringify(path)
}

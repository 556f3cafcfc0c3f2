import { type DecodedFile, decodeFile } from '@llm-gateway/conf/editor'
import type { FieldPath } from '@llm-gateway/gui-api'
import { type Node, parseTree } from 'jsonc-parser'

/** A string in a JSON text: its path and the offsets of its literal. */
export type StringPlace = {
  readonly path: FieldPath
  readonly value: string
  readonly start: number
  readonly end: number
}

/**
 * The most bytes of a text that is parsed: 10,000 routers are about 500,000 values and take a thread a few seconds. The
 * programs themselves read larger files.
 */
const MOST_PARSED_BYTES = 64 * 1024 * 1024

/** Decodes a JSON text; a text that can't be decoded gets the reason that the check of a file shows. */
export function decodedJson(text: string): DecodedFile {
  return decodeFile(Buffer.from(text), MOST_PARSED_BYTES)
}

/** Returns whether a text is JSON with more values than can be worked on here. */
export function isTooLarge(text: string): boolean {
  const decoded = decodedJson(text)
  return decoded.kind === 'broken' && decoded.reason === 'size:'
}

/** Parses a JSON text; undefined if it is not JSON, or deeper or larger than can be edited here. */
export function jsonTree(text: string): Node | undefined {
  return decodedJson(text).kind === 'decoded' ? parseTree(text) : undefined
}

/** Yields all string values below a node, of repeated keys too; in headers also numbers, which are mistakes there. */
export function* stringPlaces(node: Node, path: FieldPath = []): Generator<StringPlace> {
  const { type, offset, length, children = [] } = node
  if (type === 'string' || (type === 'number' && path.includes('headers')))
    yield { path, value: String(node.value), start: offset, end: offset + length }
  if (type === 'array') for (const [index, child] of children.entries()) yield* stringPlaces(child, [...path, index])
  if (type !== 'object') return
  for (const { children: [key, value] = [] } of children)
    if (key !== undefined && value !== undefined) yield* stringPlaces(value, [...path, String(key.value)])
}

/** Puts other strings into the places and leaves the rest of the text as it is. */
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

import type { FieldPath } from '@llm-gateway/gui-api'
import {
  type Document,
  isCollection,
  isMap,
  isScalar,
  LineCounter,
  parseDocument,
  stringify,
  type Tags,
  type ToStringOptions,
} from 'yaml'
import { isObject, type JsonObject } from '../../json-value.ts'

export type ManifestProblem = { readonly line: number; readonly message: string }
export type ReadManifest = { readonly value: unknown } | { readonly problem: ManifestProblem }

const TIMESTAMP = 'tag:yaml.org,2002:timestamp'

/** Reads YAML 1.1 as kubectl and the operator do: a plain `off` is false, but times and `1:30` stay texts. */
const AS_KUBECTL = {
  version: '1.1',
  customTags: (tags: Tags): Tags =>
    tags.filter((tag) => typeof tag === 'string' || (tag.tag !== TIMESTAMP && tag.format !== 'TIME')),
  prettyErrors: false,
} as const

/** Parses a YAML text with one document, or returns the problem with its line; lines begin at 1. */
export function readManifest(text: string): ReadManifest {
  const lines = new LineCounter()
  const document = parseDocument(text, { ...AS_KUBECTL, lineCounter: lines })
  const [error] = document.errors
  if (error !== undefined) return { problem: { line: lines.linePos(error.pos[0]).line, message: error.message } }
  try {
    return { value: document.toJS() }
  } catch (failure) {
    // Aliases would expand the text beyond the parser's bound.
    return { problem: { line: 1, message: failure instanceof Error ? failure.message : String(failure) } }
  }
}

/**
 * Changes the value at a path; undefined removes the member. Only differences are written, so comments, order and
 * unknown fields stay. A text that is not YAML stays unchanged.
 */
export function changeManifest(text: string, path: FieldPath, value: unknown): string {
  const document = parseDocument(text, AS_KUBECTL)
  if (document.errors.length > 0) return text
  const style = styleOf(text)
  const unchanged = document.toString(style)
  const before = path.length === 0 ? document.toJS() : valueIn(document, path)
  change(document, path, { before, after: value })
  return inStyleOf(text, unchanged, document.toString(style))
}

/** Detects indents and blanks from the text. */
function styleOf(text: string): ToStringOptions {
  return {
    lineWidth: 0,
    indentSeq: !/^( *)[^\s#-][^\n]*:[ \t]*\n\1- /m.test(text),
    flowCollectionPadding: !/\[\S/.test(text),
  }
}

/**
 * Restores unchanged lines in the person's own style: the YAML package rewrites all lines, and a diff would show the
 * whole text.
 */
function inStyleOf(text: string, unchanged: string, changed: string): string {
  const [own, before, after] = [text.split('\n'), unchanged.split('\n'), changed.split('\n')]
  if (own.length !== before.length) return changed
  const most = Math.min(before.length, after.length)
  let top = 0
  while (top < most && before[top] === after[top]) top += 1
  let end = 0
  while (end < most - top && before.at(-1 - end) === after.at(-1 - end)) end += 1
  const patched = own.toSpliced(top, own.length - end - top, ...after.slice(top, after.length - end)).join('\n')
  // Lines of two styles may not fit together.
  return isSameValue(readManifest(patched), readManifest(changed)) ? patched : changed
}

function isSameValue(one: ReadManifest, other: ReadManifest): boolean {
  return 'value' in one && 'value' in other && JSON.stringify(one.value) === JSON.stringify(other.value)
}

function valueIn(document: Document, path: FieldPath): unknown {
  const node = document.getIn(path, true)
  return isCollection(node) || isScalar(node) ? node.toJS(document) : undefined
}

type Change = { readonly before: unknown; readonly after: unknown }

function change(document: Document, path: FieldPath, { before, after }: Change): void {
  if (JSON.stringify(before) === JSON.stringify(after)) return
  if (isObject(before) && isObject(after)) changeMembers(document, path, { before, after })
  else if (Array.isArray(before) && Array.isArray(after)) changeElements(document, path, { before, after })
  else if (after === undefined) document.deleteIn(path)
  else setValue(document, path, after)
}

function changeMembers(
  document: Document,
  path: FieldPath,
  { before, after }: { readonly before: JsonObject; readonly after: JsonObject },
): void {
  const gone = Object.keys(before).filter((name) => !Object.hasOwn(after, name))
  const come = Object.keys(after).filter((name) => !Object.hasOwn(before, name))
  const [from, to] = [gone[0], come[0]]
  const isRenamed = gone.length === 1 && come.length === 1 && from !== undefined && to !== undefined
  // A name that is typed letter by letter keeps its place and its comment.
  if (isRenamed && rename(document, path, [from, to])) {
    change(document, [...path, to], { before: before[from], after: after[to] })
  } else {
    for (const name of gone) document.deleteIn([...path, name])
    for (const name of come) setValue(document, [...path, name], after[name])
  }
  for (const [name, value] of Object.entries(after)) {
    if (Object.hasOwn(before, name)) change(document, [...path, name], { before: before[name], after: value })
  }
}

function rename(document: Document, path: FieldPath, [from, to]: readonly [string, string]): boolean {
  const map = path.length === 0 ? document.contents : document.getIn(path, true)
  const pair = isMap(map) ? map.items.find(({ key }) => isScalar(key) && key.value === from) : undefined
  if (pair === undefined || !isScalar(pair.key)) return false
  pair.key.value = to
  return true
}

function changeElements(
  document: Document,
  path: FieldPath,
  { before, after }: { readonly before: readonly unknown[]; readonly after: readonly unknown[] },
): void {
  const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)
  const firstOther = before.findIndex((one, at) => !same(one, after[at]))
  if (after.length === before.length - 1 && same(before.toSpliced(firstOther, 1), after)) {
    document.deleteIn([...path, firstOther])
    return
  }
  for (const [at, value] of after.entries()) {
    if (at < before.length) change(document, [...path, at], { before: before[at], after: value })
    else setValue(document, [...path, at], value)
  }
  for (let at = before.length - 1; at >= after.length; at -= 1) document.deleteIn([...path, at])
}

/** Writes a value. Missing parents are made, and a scalar parent is replaced. */
function setValue(document: Document, path: FieldPath, value: unknown): void {
  const last = path.at(-1)
  const parent = path.slice(0, -1)
  if (last === undefined) {
    document.contents = document.createNode(value)
    return
  }
  const holder = parent.length === 0 ? document.contents : document.getIn(parent, true)
  if (!isCollection(holder)) {
    setValue(document, parent, typeof last === 'number' ? [value] : { [last]: value })
    return
  }
  const present = document.getIn(path, true)
  // The node of a scalar keeps its comment and its quotes.
  if (isScalar(present) && !isObject(value) && !Array.isArray(value)) present.value = value
  else document.setIn(path, document.createNode(value, { flow: isShortList(value) }))
}

/** Returns whether a list is written in one line, as in `["${KEY}"]`. */
function isShortList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((item) => typeof item !== 'object')
}

/** Writes a new manifest. */
export function writeManifest(value: object): string {
  return stringify(value, { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false })
}

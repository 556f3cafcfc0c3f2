import { API_VERSION, createFaultFinder, GROUP, isKindName, type KindName } from '@llm-gateway/crds'
import { isObject, textAt, valueAt } from '@llm-gateway/kube'
import {
  type Document,
  isCollection,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseAllDocuments,
  stringify,
  type Tags,
  visit,
} from 'yaml'
import type { ManifestError, ResourcePlace } from './questions.ts'

type Path = readonly (string | number)[]

/** A manifest after parsing. */
export type ReadManifest =
  | { readonly kind: 'read'; readonly place: ResourcePlace; readonly object: object }
  /** `place` is set if the text has a valid kind, namespace and name. */
  | { readonly kind: 'invalid'; readonly place: ResourcePlace | undefined; readonly errors: readonly ManifestError[] }

const MOST_FAULTS = 100
/** Bound of values: each costs the parser kilobytes, and a megabyte of them would exceed the thread's memory. */
const MOST_PIECES = 20_000
/** The deepest nesting: a processor reads 64 levels of its settings, and later steps walk a manifest by recursion. */
const DEEPEST = 128
const TOO_DEEP = 'The manifest is nested too deeply.'
const PIECE = /[\n,{[]/g
const TIMESTAMP = 'tag:yaml.org,2002:timestamp'
/** Reads YAML as kubectl does: version 1.1, where `yes` is true, but times and `1:30` stay texts. */
const AS_KUBECTL = {
  version: '1.1',
  customTags: (tags: Tags): Tags =>
    tags.filter((tag) => typeof tag === 'string' || (tag.tag !== TIMESTAMP && tag.format !== 'TIME')),
} as const
const LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/
/** Fields that the API server adds; a manifest copied from it has them. */
const ADDED: ReadonlySet<string> = new Set([
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'managedFields',
  'selfLink',
])
const OWN: ReadonlySet<string> = new Set(['name', 'namespace', 'labels', 'annotations'])

const findFaults = lazily(createFaultFinder)

/** Reads one resource and checks its form. Faults have lines and columns of the text. */
export function readManifest(text: string): ReadManifest {
  if ((text.match(PIECE)?.length ?? 0) > MOST_PIECES)
    return broken('The manifest holds more values than the web interface reads; kubectl takes it.')
  const lines = new LineCounter()
  const documents = parsed(text, lines)
  if (typeof documents === 'string') return broken(documents)
  const [document] = documents
  const [flaw] = documents.flatMap(({ errors }) => errors)
  if (flaw !== undefined) {
    const { line, col: column } = lines.linePos(flaw.pos[0])
    // Only the parser's code is shown: its message quotes the text.
    return invalid(undefined, [{ path: '', message: `This is not YAML (${flaw.code}).`, line, column }])
  }
  const filled = documents.filter(({ contents }) => contents !== null)
  if (document === undefined || filled.length === 0) return broken('The manifest is empty.')
  if (filled.length > 1) return broken('One resource at a time: the manifest holds several documents.')
  const plain = plainValue(document)
  if (plain.kind === 'none') return broken(plain.why)
  const { value } = plain
  if (!isObject(value)) return broken('A manifest is a map with apiVersion, kind, metadata and spec.')
  const place = placeOf(value)
  const faults = faultsOf(value)
  if (faults.length > 0 || place === undefined)
    return invalid(
      place,
      faults.slice(0, MOST_FAULTS).map((fault) => withPosition(fault, document, lines)),
    )
  return { kind: 'read', place, object: ownPart(value) }
}

/** Returns the part of a stored object that a person writes: no status, no added metadata, no foreign annotations. */
export function ownPart(object: unknown): object {
  const metadata = valueAt(object, 'metadata')
  const given = isObject(metadata) ? metadata : {}
  const annotations = Object.entries(isObject(given.annotations) ? given.annotations : {})
  const ours = annotations.filter(([name]) => name.startsWith(`${GROUP}/`))
  const { labels } = given
  return {
    apiVersion: API_VERSION,
    kind: textAt(object, 'kind'),
    metadata: {
      name: given.name,
      namespace: given.namespace,
      ...(isObject(labels) && Object.keys(labels).length > 0 ? { labels } : {}),
      ...(ours.length === 0 ? {} : { annotations: Object.fromEntries(ours) }),
    },
    spec: valueAt(object, 'spec') ?? {},
  }
}

/** Writes YAML 1.1, as kubectl reads it: a plain `off` would be false, so such texts are quoted. */
export function manifestText(object: unknown): string {
  return stringify(object, { aliasDuplicateObjects: false, lineWidth: 0, version: '1.1' })
}

type PathError = { readonly path: Path; readonly message: string }

function faultsOf(value: Readonly<Record<string, unknown>>): readonly PathError[] {
  const { kind, apiVersion, metadata, status: _, ...rest } = value
  if (typeof kind !== 'string' || !isKindName(kind))
    return [{ path: ['kind'], message: 'must be LLMGateway, Router or Processor' }]
  if (apiVersion !== API_VERSION) return [{ path: ['apiVersion'], message: `must be ${API_VERSION}` }]
  const given = isObject(metadata) ? metadata : {}
  const namespace = typeof given.namespace === 'string' ? given.namespace : ''
  const kept = Object.fromEntries(Object.entries(given).filter(([key]) => !ADDED.has(key)))
  return [
    ...(LABEL.test(namespace) ? [] : [{ path: ['metadata', 'namespace'], message: 'must be the name of a namespace' }]),
    ...Object.keys(kept)
      .filter((key) => !OWN.has(key))
      .map((key) => ({ path: ['metadata', key], message: 'is not set here' })),
    ...findFaults()(kind, { ...rest, apiVersion, kind, metadata: kept }),
  ]
}

function placeOf(value: unknown): ResourcePlace | undefined {
  const kind = textAt(value, 'kind') ?? ''
  const [namespace, name] = [textAt(value, 'metadata', 'namespace') ?? '', textAt(value, 'metadata', 'name') ?? '']
  if (!isKindName(kind) || !LABEL.test(namespace) || !LABEL.test(name)) return undefined
  return { kind: kind satisfies KindName, namespace, name }
}

function withPosition({ path, message }: PathError, document: Document, lines: LineCounter): ManifestError {
  const offset = offsetOf(document.contents, path)
  const { line, col } = offset === undefined ? { line: null, col: null } : lines.linePos(offset)
  return {
    path: path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join(''),
    message,
    line,
    column: col,
  }
}

/** Returns the offset of the deepest existing part of a path: its key, or the entry of a list. */
function offsetOf(root: unknown, path: Path): number | undefined {
  let node: unknown = root
  let offset = isNode(root) ? root.range?.[0] : undefined
  for (const key of path) {
    const next: { readonly at: unknown; readonly value: unknown } | undefined = childOf(node, key)
    if (next === undefined) return offset
    offset = rangeOf(next.at) ?? offset
    node = next.value
  }
  return offset
}

function childOf(node: unknown, key: string | number): { readonly at: unknown; readonly value: unknown } | undefined {
  if (isSeq(node) && typeof key === 'number') {
    const item: unknown = node.items[key]
    return item === undefined ? undefined : { at: item, value: item }
  }
  if (!isMap(node)) return undefined
  const pair = node.items.find((item) => (isScalar(item.key) ? String(item.key.value) : undefined) === String(key))
  return pair === undefined ? undefined : { at: pair.key, value: pair.value }
}

function rangeOf(node: unknown): number | undefined {
  const one: Node | undefined = isNode(node) ? node : undefined
  return one?.range?.[0]
}

function parsed(text: string, lineCounter: LineCounter): readonly Document[] | string {
  try {
    return [...parseAllDocuments(text, { ...AS_KUBECTL, lineCounter, prettyErrors: false })]
  } catch (error) {
    if (error instanceof RangeError) return TOO_DEEP
    throw error
  }
}

type PlainValue = { readonly kind: 'value'; readonly value: unknown } | { readonly kind: 'none'; readonly why: string }

/** Returns the document's value, or the reason why there is none. */
function plainValue(document: Document): PlainValue {
  try {
    if (hasCollectionAsKey(document)) return { kind: 'none', why: 'A key of the manifest is a list or a map.' }
    const value: unknown = document.toJS()
    return isDeeper(value, DEEPEST) ? { kind: 'none', why: TOO_DEEP } : { kind: 'value', value }
  } catch (error) {
    if (error instanceof ReferenceError) return { kind: 'none', why: 'The manifest has too many aliases.' }
    if (error instanceof RangeError) return { kind: 'none', why: TOO_DEEP }
    throw error
  }
}

/** The parser would make a text of such a key, and of each such key within it: hours for a few hundred levels. */
function hasCollectionAsKey(document: Document): boolean {
  let found = false
  visit(document, {
    Pair: (_, { key }) => {
      found ||= isCollection(key)
      return found ? visit.BREAK : undefined
    },
  })
  return found
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1))
}

function broken(message: string): ReadManifest {
  return invalid(undefined, [{ path: '', message, line: null, column: null }])
}

function invalid(place: ResourcePlace | undefined, errors: readonly ManifestError[]): ReadManifest {
  return { kind: 'invalid', place, errors }
}

function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

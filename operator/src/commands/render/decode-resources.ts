import { createHash } from 'node:crypto'
import {
  API_VERSION,
  createFormJudge,
  GROUP,
  isKindName,
  type KindName,
  type LlmGateway,
  llmGatewaySchema,
  type Processor,
  processorSchema,
  type Router,
  routerSchema,
} from '@llm-gateway/crds'
import { isObject, textAt, valueAt } from '@llm-gateway/kube'
import { decodeSource } from '../../kube/decode.ts'
import { type Source, sourceKey } from '../../model/snapshot.ts'
import type { FileObject, Resources } from './resources.ts'

export type DecodedResources =
  | { readonly kind: 'decoded'; readonly resources: Resources }
  | { readonly kind: 'broken'; readonly errors: readonly string[] }

/** kubectl's own default, for objects without a namespace. */
const DEFAULT_NAMESPACE = 'default'
/** Namespaces name folders of the output. */
const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/
/** For objects that no API server has seen: the oldest time, so that names decide between files. */
const UNSEEN = { generation: 1, creationTimestamp: '1970-01-01T00:00:00Z' }

/** Checks the objects of a folder and sorts them by kind. Every fault is reported with its file. */
export function decodeResources(placed: readonly FileObject[]): DecodedResources {
  const judge = createFormJudge()
  const found: ResourcesByKind = {
    LLMGateway: [],
    Router: [],
    Processor: [],
    namespaces: new Map(),
    sources: new Map(),
  }
  const ignored: string[] = []
  const errors: string[] = []
  const seen = new Map<string, string>()
  for (const { file, object } of placed) {
    const kind = textAt(object, 'kind') ?? ''
    const whole = withMetadata(kind, object)
    const place = placeOf(kind, whole)
    const faults = [...faultsOf(kind, whole, judge), ...doubles(place, seen)]
    seen.set(place, file)
    if (faults.length > 0) errors.push(...faults.map((fault) => `${file}: ${place}: ${fault}`))
    else if (!addObject(kind, whole, found)) ignored.push(place)
  }
  if (errors.length > 0) return { kind: 'broken', errors }
  const { LLMGateway: gateways, Router: routers, Processor: processors, namespaces, sources } = found
  return { kind: 'decoded', resources: { gateways, routers, processors, namespaces, sources, ignored } }
}

type ResourcesByKind = {
  readonly LLMGateway: LlmGateway[]
  readonly Router: Router[]
  readonly Processor: Processor[]
  readonly namespaces: Map<string, Readonly<Record<string, string>>>
  readonly sources: Map<string, Source>
}

function faultsOf(kind: string, object: unknown, judge: ReturnType<typeof createFormJudge>): readonly string[] {
  const version = textAt(object, 'apiVersion') ?? ''
  if (textAt(object, 'metadata', 'name') === undefined) return ['it has no metadata.name']
  if (kind !== 'Namespace' && !NAMESPACE.test(textAt(object, 'metadata', 'namespace') ?? '')) {
    return ['metadata.namespace must be a DNS label']
  }
  if (isKindName(kind)) {
    return version === API_VERSION ? judge(kind, object) : [`apiVersion must be ${API_VERSION}, not ${version}`]
  }
  return version.startsWith(`${GROUP}/`) ? [`there is no kind ${kind} in ${GROUP}`] : []
}

function doubles(place: string, seen: ReadonlyMap<string, string>): readonly string[] {
  const other = seen.get(place)
  return other === undefined ? [] : [`it is in ${other} too`]
}

/** Returns false for an object of a kind that isn't read. */
function addObject(kind: string, object: unknown, found: ResourcesByKind): boolean {
  if (isKindName(kind)) return addResource(kind, object, found)
  const namespace = textAt(object, 'metadata', 'namespace') ?? ''
  const name = textAt(object, 'metadata', 'name') ?? ''
  switch (kind) {
    case 'Namespace':
      found.namespaces.set(name, textsOf(valueAt(object, 'metadata', 'labels')))
      return true
    case 'Secret':
    case 'ConfigMap':
      found.sources.set(sourceKey(namespace, kind, name), decodeSourceFile(kind, object))
      return true
    default:
      return false
  }
}

function addResource(kind: KindName, object: unknown, found: ResourcesByKind): boolean {
  switch (kind) {
    case 'LLMGateway':
      return found.LLMGateway.push(llmGatewaySchema.parse(object)) > 0
    case 'Router':
      return found.Router.push(routerSchema.parse(object)) > 0
    case 'Processor':
      return found.Processor.push(processorSchema.parse(object)) > 0
    default:
      return kind satisfies never
  }
}

/** Adds the metadata that the API server would add. */
function withMetadata(kind: string, object: unknown): unknown {
  const metadata = valueAt(object, 'metadata')
  if (!isObject(object) || !isObject(metadata)) return object
  const namespace = kind === 'Namespace' ? '' : (textAt(metadata, 'namespace') ?? DEFAULT_NAMESPACE)
  const uid = uidOf(`${kind}/${namespace}/${textAt(metadata, 'name')}`)
  // kubectl's --dry-run writes `creationTimestamp: null`.
  const written = Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== null))
  return { ...object, metadata: { uid, ...UNSEEN, ...written, namespace } }
}

/** Returns the same uid for the same name, so that runs don't differ. */
function uidOf(place: string): string {
  const hex = createHash('sha256').update(place).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-')
}

function placeOf(kind: string, object: unknown): string {
  const namespace = textAt(object, 'metadata', 'namespace') ?? ''
  const name = textAt(object, 'metadata', 'name') ?? '(no name)'
  return `${kind} ${namespace === '' ? name : `${namespace}/${name}`}`
}

function textsOf(value: unknown): Readonly<Record<string, string>> {
  const entries = isObject(value) ? Object.entries(value) : []
  return Object.fromEntries(entries.flatMap(([key, text]) => (typeof text === 'string' ? [[key, text]] : [])))
}

/** Decodes a Secret or ConfigMap as people write it. `stringData` becomes data, as in the API server. */
function decodeSourceFile(kind: 'Secret' | 'ConfigMap', object: unknown): Source {
  const written = valueAt(object, 'stringData')
  if (kind === 'ConfigMap' || !isObject(object) || !isObject(written)) return decodeSource(object)
  const data = valueAt(object, 'data')
  const encoded = Object.entries(written).map(([key, text]) => [key, Buffer.from(String(text)).toString('base64')])
  return decodeSource({ ...object, data: { ...(isObject(data) ? data : {}), ...Object.fromEntries(encoded) } })
}

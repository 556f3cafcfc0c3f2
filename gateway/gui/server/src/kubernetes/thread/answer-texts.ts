import { isKindName } from '@llm-gateway/crds'
import type { ResourceCheck } from '@llm-gateway/gui-api'
import { isObject, numberAt, textAt, valueAt } from '@llm-gateway/kube'
import { decodeGateway, decodeProcessor, decodeRouter } from '@llm-gateway/operator/judge'
import type { ClusterView } from './cluster-view.ts'
import { type Baseline, judgeDraft, variablesIn } from './judge-draft.ts'
import { manifestText, ownPart, type ReadManifest } from './manifest-text.ts'
import { managersOf, ownedFields } from './owned-fields.ts'
import type { ApplyPlan, ClusterAnswer, ClusterQuestion, ResourcePlace, ShownResource } from './questions.ts'
import { fillResource, maskPlaces, maskResource, namesOfSecrets } from './resource-masks.ts'
import { type AnyResource, labelsOf, rowOf } from './resource-row.ts'
import { unifiedDiff } from './unified-diff.ts'

type Question<Kind extends ClusterQuestion['kind']> = Extract<ClusterQuestion, { readonly kind: Kind }>
type Value<Kind extends ClusterAnswer['kind']> = Extract<ClusterAnswer, { readonly kind: Kind }>['value']

/** Returns a stored object for display; undefined if it is of a foreign kind. */
export function shownResource(
  object: unknown,
  view: ClusterView,
  maskedHeaders: readonly string[],
): ShownResource | undefined {
  const decoded = decodedResource(object)
  if (decoded === undefined) return undefined
  const { text, paths } = shownManifest(object, maskedHeaders)
  const row = rowOf(decoded)
  const { resources } = view
  return {
    ...row,
    url: textAt(object, 'status', 'url') ?? null,
    manifest: text,
    masked: [...paths],
    resource_version: textAt(object, 'metadata', 'resourceVersion') ?? '',
    owned_fields: ownedFields(object),
    rejected_fields: [...((decoded.kind === 'Router' ? decoded.resource.status.rejectedFields : undefined) ?? [])],
    variables: resources === undefined ? [] : variablesIn(row, withRouter(decoded, resources)),
  }
}

/** `readManifest`, or a function that remembers the last result. */
type ReadText = (text: string) => ReadManifest

type CheckDependencies = {
  readonly read: ReadText
  readonly baseline: Baseline | undefined
  readonly maskedHeaders: readonly string[]
  /** RFC 3339 */
  readonly now: string
}

/** Checks a manifest as far as possible without the API server. */
export function checkManifest(
  { manifest, stored }: Question<'check'>,
  { read: readText, baseline, maskedHeaders, now }: CheckDependencies,
): Value<'check'> {
  const read = readText(manifest)
  const known = storedState(stored)
  if (read.kind === 'invalid')
    return { ...NOTHING, place: read.place ?? null, result: 'invalid', stored: known, errors: [...read.errors] }
  const { place, object } = read
  const before = stored === undefined ? '' : shownManifest(stored, maskedHeaders).text
  return {
    ...NOTHING,
    ...judgeDraft({ place, object, stored }, baseline, now),
    place,
    stored: known,
    diff: unifiedDiff(before, shownManifest(object, maskedHeaders).text),
    masked: [...maskPlaces(object)],
  }
}

/** Returns the object for the API server: the manifest, in which the stored values replace the masks. */
export function applyPlan(
  { manifest, stored }: Question<'applyPlan'>,
  { read: readText, maskedHeaders }: Pick<CheckDependencies, 'read' | 'maskedHeaders'>,
): ApplyPlan {
  const read = readText(manifest)
  if (read.kind === 'invalid') return { kind: 'invalid', errors: read.errors }
  const filled = fillResource(read.object, stored, namesOfSecrets(maskedHeaders))
  if (filled.kind === 'nowhere') return filled
  const { value, secrets } = filled
  return { kind: 'ready', place: read.place, object: isObject(value) ? value : {}, secrets }
}

/** Returns the object that the API server holds after a write. */
export function appliedResource(
  { before, after }: Question<'applied'>,
  maskedHeaders: readonly string[],
): Value<'applied'> {
  const [old, now] = [
    before === undefined ? '' : shownManifest(before, maskedHeaders).text,
    shownManifest(after, maskedHeaders).text,
  ]
  return {
    place: placeIn(after),
    manifest: now,
    resource_version: textAt(after, 'metadata', 'resourceVersion') ?? '',
    generation: numberAt(after, 'metadata', 'generation') ?? 0,
    diff: unifiedDiff(old, now),
  }
}

const NOTHING: Omit<Value<'check'>, 'place' | 'stored' | 'result'> = {
  errors: [],
  conditions: [],
  rejected_fields: [],
  variables: [],
  others: [],
  file: null,
  diff: '',
  masked: [],
}

function shownManifest(object: unknown, maskedHeaders: readonly string[]) {
  const { value, paths } = maskResource(ownPart(object), namesOfSecrets(maskedHeaders))
  return { text: manifestText(value), paths }
}

function storedState(stored: unknown): ResourceCheck['stored'] {
  if (stored === undefined) return null
  const resource_version = textAt(stored, 'metadata', 'resourceVersion') ?? ''
  return { generation: numberAt(stored, 'metadata', 'generation') ?? 0, resource_version }
}

function placeIn(object: unknown): ResourcePlace {
  const kind = textAt(object, 'kind') ?? ''
  const metadata = valueAt(object, 'metadata')
  return {
    kind: isKindName(kind) ? kind : 'Router',
    namespace: textAt(metadata, 'namespace') ?? '',
    name: textAt(metadata, 'name') ?? '',
  }
}

function decodedResource(object: unknown): AnyResource | undefined {
  const shown = { managers: managersOf(object), labels: labelsOf(object) }
  switch (textAt(object, 'kind')) {
    case 'LLMGateway': {
      const resource = decodeGateway(object)
      return resource === undefined ? undefined : { kind: 'LLMGateway', resource: { ...resource, ...shown } }
    }
    case 'Router': {
      const resource = decodeRouter(object)
      return resource === undefined ? undefined : { kind: 'Router', resource: { ...resource, ...shown } }
    }
    case 'Processor': {
      const resource = decodeProcessor(object)
      return resource === undefined ? undefined : { kind: 'Processor', resource: { ...resource, ...shown } }
    }
    default:
      return undefined
  }
}

/** Replaces the Routers by the decoded one, so that `variablesIn` finds this one and looks at no other. */
function withRouter(decoded: AnyResource, resources: Baseline['resources']): Baseline['resources'] {
  return decoded.kind === 'Router' ? { ...resources, routers: [decoded.resource] } : resources
}

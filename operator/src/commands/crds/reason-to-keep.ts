import { VERSION_ANNOTATION } from '@llm-gateway/crds'
import { isObject, listAt, textAt, valueAt } from '@llm-gateway/kube'
import { FIELD_MANAGER } from '../../model/names.ts'
import { isNewer, isVersion } from './is-newer.ts'

/** Installers that apply CRDs once and don't maintain them: the folder crds/ of a chart, and people. */
const INSTALLERS: ReadonlySet<string> = new Set([FIELD_MANAGER, 'helm', 'helm-controller', 'before-first-apply'])
const BY_HAND = /^kubectl(-|$)/
/** Helm's annotation on objects among a chart's templates. Each upgrade of that release writes them again. */
const RELEASE = 'meta.helm.sh/release-name'
const MAX_NAMED = 4

/**
 * Returns why a CRD of the cluster is left alone; undefined: `ours` may replace it. Another owner would write the CRD
 * back, a newer operator needs a newer CRD, and objects stored in a dropped version could not be read.
 */
export function reasonToKeep(live: unknown, ours: unknown): string | undefined {
  return otherOwner(live) ?? newerVersion(live, ours) ?? droppedVersion(live, ours)
}

function otherOwner(live: unknown): string | undefined {
  const [owner] = listAt(live, 'metadata', 'ownerReferences')
  if (owner !== undefined) return `it belongs to ${textAt(owner, 'kind')} ${textAt(owner, 'name')}`
  const release = textAt(live, 'metadata', 'annotations', RELEASE)
  if (release !== undefined) return `it belongs to the helm release ${release}`
  const managers = listAt(live, 'metadata', 'managedFields')
    .filter((entry) => textAt(entry, 'subresource') === undefined)
    .filter((entry) => isObject(valueAt(entry, 'fieldsV1', 'f:spec')))
    .map((entry) => textAt(entry, 'manager') ?? '')
  const others = [...new Set(managers)].filter((name) => !INSTALLERS.has(name) && !BY_HAND.test(name))
  return others.length === 0 ? undefined : `${others.slice(0, MAX_NAMED).join(', ')} manages it`
}

function newerVersion(live: unknown, ours: unknown): string | undefined {
  const path = ['metadata', 'annotations', VERSION_ANNOTATION] as const
  const [theirs, own = ''] = [textAt(live, ...path), textAt(ours, ...path)]
  // A CRD from before the annotation has no version.
  if (theirs === undefined) return undefined
  if (!isVersion(theirs)) return `its annotation ${VERSION_ANNOTATION} is not a version`
  return isNewer(theirs, own) ? `it is newer: ${theirs}, this is ${own}` : undefined
}

function droppedVersion(live: unknown, ours: unknown): string | undefined {
  const known = new Set(listAt(ours, 'spec', 'versions').map((version) => textAt(version, 'name')))
  const stored = listAt(live, 'status', 'storedVersions').filter((name) => typeof name === 'string')
  const dropped = stored.filter((name) => !known.has(name))
  if (dropped.length === 0) return undefined
  return `objects may be stored in version ${dropped.slice(0, MAX_NAMED).join(', ')}, which the new CRD lacks`
}

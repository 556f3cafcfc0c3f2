import { isObject } from '@llm-gateway/kube'

/** Lists that server-side apply merges by a key of their items. Items that others added stay. */
const MERGED: ReadonlyMap<string, string> = new Map([
  ['containers', 'name'],
  ['env', 'name'],
  ['imagePullSecrets', 'name'],
  ['ownerReferences', 'uid'],
  ['volumeMounts', 'mountPath'],
  ['volumes', 'name'],
])

/** Returns whether `live` has everything in `wanted`. Further fields of the API server or others are ignored. */
export function contains(live: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) {
    return Array.isArray(live) && live.length === wanted.length && wanted.every((one, i) => contains(live[i], one))
  }
  if (!isObject(wanted)) return live === wanted
  return isObject(live) && Object.entries(wanted).every(([key, value]) => memberContains(key, live[key], value))
}

function memberContains(name: string, live: unknown, wanted: unknown): boolean {
  const key = MERGED.get(name)
  if (key === undefined || !Array.isArray(wanted) || !Array.isArray(live)) return contains(live, wanted)
  const byKey = new Map(live.map((item) => [isObject(item) ? item[key] : undefined, item]))
  return wanted.every((item) => isObject(item) && contains(byKey.get(item[key]), item))
}

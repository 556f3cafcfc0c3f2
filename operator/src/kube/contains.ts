import { isObject } from './json-value.ts'

/** Whether everything in `wanted` stands in `live` as well, what the API server added left aside. */
export function contains(live: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) {
    return Array.isArray(live) && live.length === wanted.length && wanted.every((one, i) => contains(live[i], one))
  }
  if (!isObject(wanted)) return live === wanted
  return isObject(live) && Object.entries(wanted).every(([key, value]) => contains(live[key], value))
}

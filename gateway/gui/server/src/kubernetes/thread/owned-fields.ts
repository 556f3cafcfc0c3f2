import type { OwnedField } from '@llm-gateway/gui-api'
import { isObject, listAt, textAt, valueAt } from '@llm-gateway/kube'

/** The name under which the web interface writes. */
export const FIELD_MANAGER = 'llm-gateway-web'

const MOST_FIELDS = 1_000
const MOST_DEPTH = 64
/** Parts of a resource that a person writes. */
const SHOWN = /^\.(spec|metadata\.(labels|annotations))(\.|\[|$)/

/** Who wrote a resource's own part, status apart; sorted. */
export function managersOf(object: unknown): readonly string[] {
  const entries = listAt(object, 'metadata', 'managedFields').filter(
    (entry) => textAt(entry, 'subresource') === undefined,
  )
  return [...new Set(entries.flatMap((entry) => textAt(entry, 'manager') ?? []))].toSorted()
}

/** Fields that another manager than this interface owns, as the API server writes their paths. */
export function ownedFields(object: unknown): OwnedField[] {
  const entries = listAt(object, 'metadata', 'managedFields').filter(
    (entry) => textAt(entry, 'subresource') === undefined && textAt(entry, 'manager') !== FIELD_MANAGER,
  )
  return entries
    .flatMap((entry) => {
      const manager = textAt(entry, 'manager') ?? ''
      return [...leaves(valueAt(entry, 'fieldsV1'), '', 0)].map((path) => ({ path, manager }))
    })
    .filter(({ path }) => SHOWN.test(path))
    .slice(0, MOST_FIELDS)
}

/** A set of fields is a tree: `f:name` a key, `k:{…}` an entry of a list, `v:…` a value, `.` the thing itself. */
function* leaves(node: unknown, path: string, depth: number): Generator<string> {
  const entries = isObject(node) ? Object.entries(node).filter(([key]) => key !== '.') : []
  if (entries.length === 0 || depth > MOST_DEPTH) yield path
  for (const [key, child] of depth > MOST_DEPTH ? [] : entries) yield* leaves(child, path + stepOf(key), depth + 1)
}

function stepOf(key: string): string {
  const rest = key.slice(2)
  if (key.startsWith('k:')) return `[${keysOf(rest)}]`
  return key.startsWith('v:') || key.startsWith('i:') ? `[=${rest}]` : `.${rest}`
}

function keysOf(text: string): string {
  try {
    return Object.entries<unknown>(Object(JSON.parse(text)))
      .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
      .join(',')
  } catch {
    return text // Nobody but the API server writes it; what it can't be is shown as it is.
  }
}

import type { OwnedField } from '@llm-gateway/gui-api'
import { isObject, listAt, textAt, valueAt } from '@llm-gateway/kube'

/** The field manager of the web interface. */
export const FIELD_MANAGER = 'llm-gateway-web'

const MOST_FIELDS = 1_000
const MOST_MANAGERS = 64
const MOST_DEPTH = 64
/** Matches the fields that people write. */
const SHOWN = /^\.(spec|metadata\.(labels|annotations))(\.|\[|$)/

/** Returns the first managers of a resource by name, apart from those of its status. */
export function managersOf(object: unknown): readonly string[] {
  const entries = listAt(object, 'metadata', 'managedFields').filter(
    (entry) => textAt(entry, 'subresource') === undefined,
  )
  return [...new Set(entries.flatMap((entry) => textAt(entry, 'manager') ?? []))].toSorted().slice(0, MOST_MANAGERS)
}

/** Returns fields owned by other managers, with their paths in the API server's notation. */
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

/** Yields the paths of a field set: `f:` begins a key, `k:` a list's entry, `v:` a value; `.` is the field itself. */
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
    return text // Only the API server writes these keys; an unexpected one is shown unchanged.
  }
}

/** Parsers and writers of settings recurse, so the depth is bounded. */
const MAX_LEVELS = 100
/** A ConfigMap holds 1 MiB, its metadata included. */
const MAX_BYTES = 900 * 1024
/** Each object or list takes far more memory and time than its two characters tell. */
const MAX_NESTED = 20_000

/** Configuration → its verdict, so that a translation judges only new objects. */
const verdicts = new WeakMap<object, { readonly fault: string | undefined }>()

/**
 * Returns why a Custom processor's configuration can't be written; undefined: it can. The API server limits neither
 * depth nor size.
 */
export function configFault(config: unknown): string | undefined {
  if (!isNested(config)) return faultOf(config)
  const known = verdicts.get(config) ?? { fault: faultOf(config) }
  verdicts.set(config, known)
  return known.fault
}

function faultOf(config: unknown): string | undefined {
  const form = formFault(config)
  if (form !== undefined) return form
  const bytes = Buffer.byteLength(JSON.stringify(config ?? {}))
  return bytes > MAX_BYTES ? TOO_LARGE : undefined
}

const TOO_LARGE = `custom.config has more than ${MAX_BYTES / 1024} KiB.`

/**
 * Walks level by level, since recursion would follow a depth that the author chose. The walk ends at the first limit
 * that the configuration exceeds.
 */
function formFault(config: unknown): string | undefined {
  let level = [config].filter(isNested)
  let nested = level.length
  let characters = 0
  for (let levels = 0; level.length > 0; levels += 1) {
    if (levels > MAX_LEVELS) return `custom.config is nested more than ${MAX_LEVELS} levels deep.`
    const next: object[] = []
    for (const owner of level) {
      const values: Iterable<unknown> = Array.isArray(owner) ? owner : Object.values(owner)
      for (const value of values) {
        characters += typeof value === 'string' ? value.length + 1 : 1
        if (characters > MAX_BYTES) return TOO_LARGE
        if (!isNested(value)) continue
        nested += 1
        if (nested > MAX_NESTED) return `custom.config has more than ${MAX_NESTED} objects and lists.`
        next.push(value)
      }
    }
    level = next
  }
  return undefined
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

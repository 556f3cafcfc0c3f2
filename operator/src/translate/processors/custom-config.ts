/** Parsers and writers of settings recurse, so the depth is bounded. */
const MAX_LEVELS = 100
/** A ConfigMap holds 1 MiB, its metadata included. */
const MAX_BYTES = 900 * 1024
/** Each object or list takes far more memory and time than its two characters tell. */
const MAX_NESTED = 20_000

/** Configuration → its verdict, so that a translation judges only new objects. */
const verdicts = new WeakMap<object, ConfigVerdict>()

type ConfigVerdict = {
  /** Why it can't be written; undefined: it can. */
  readonly fault: string | undefined
  /** Its length as it is written; 0 with a fault. */
  readonly bytes: number
}

/**
 * Returns why a Custom processor's configuration can't be written; undefined: it can. The API server limits neither
 * depth nor size.
 */
export function configFault(config: unknown): string | undefined {
  return verdictOf(config).fault
}

/** Returns the bytes of a configuration that can be written. */
export function configBytes(config: unknown): number {
  return verdictOf(config).bytes
}

function verdictOf(config: unknown): ConfigVerdict {
  if (config === undefined) return NO_CONFIG
  if (!isNested(config)) return judge(config)
  const known = verdicts.get(config) ?? judge(config)
  verdicts.set(config, known)
  return known
}

const NO_CONFIG: ConfigVerdict = { fault: undefined, bytes: 0 }

function judge(config: unknown): ConfigVerdict {
  if (config === NO_ROOM) return { fault: NO_ROOM_LEFT, bytes: 0 }
  const form = formFault(config)
  if (form !== undefined) return { fault: form, bytes: 0 }
  const bytes = Buffer.byteLength(JSON.stringify(config ?? {}))
  return bytes > MAX_BYTES ? { fault: TOO_LARGE, bytes: 0 } : { fault: undefined, bytes }
}

/** Stands for a configuration for which its namespace has no room in the caches. */
export const NO_ROOM: Readonly<Record<string, unknown>> = {}

/** The most bytes of the configurations of all Processors of a namespace that the caches keep. */
export const MOST_KEPT_BYTES = 16 * 1024 * 1024
const NO_ROOM_LEFT = `The configurations of all Processors of a namespace may have ${MOST_KEPT_BYTES / 1024 ** 2} MiB: shorten some, then change this Processor again.`

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
        // At least one character and a comma, and for a text its quotes.
        characters += typeof value === 'string' ? value.length + 3 : 2
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

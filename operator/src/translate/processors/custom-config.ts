/** Parsers and writers of settings recurse, so the depth is bounded. */
const MAX_LEVELS = 100
/** A ConfigMap holds 1 MiB, its metadata included. */
const MAX_BYTES = 900 * 1024

/**
 * Returns why a Custom processor's configuration can't be written; undefined: it can. The API server limits neither
 * depth nor size.
 */
export function configFault(config: unknown): string | undefined {
  if (!isShallow(config)) return `custom.config is nested more than ${MAX_LEVELS} levels deep.`
  const bytes = Buffer.byteLength(JSON.stringify(config ?? {}))
  return bytes > MAX_BYTES ? `custom.config has more than ${MAX_BYTES / 1024} KiB.` : undefined
}

/** Walks level by level, since recursion would follow a depth that the author chose. */
function isShallow(config: unknown): boolean {
  let level = [config].filter(isNested)
  for (let levels = 0; levels <= MAX_LEVELS; levels += 1) {
    if (level.length === 0) return true
    level = level.flatMap((owner) => Object.values(owner).filter(isNested))
  }
  return false
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

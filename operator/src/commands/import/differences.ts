import type { Behaviour, Trait } from './behaviour.ts'

/**
 * Lists the differences between two configurations: `gl_config.log_level: "DEBUG" → "INFO"`. Values of headers and URLs
 * are never shown. `causes` gives by key why a router doesn't work.
 */
export function differencesBetween(
  before: Behaviour,
  after: Behaviour,
  causes: ReadonlyMap<string, string>,
): readonly string[] {
  const keys = [...new Set([...before.keys(), ...after.keys()])]
  return keys.flatMap((key) =>
    differencesOf({ was: before.get(key), is: after.get(key), cause: causes.get(key) }).map(
      (difference) => `${key}: ${difference}`,
    ),
  )
}

type Change = { readonly was: Trait | undefined; readonly is: Trait | undefined; readonly cause: string | undefined }

function differencesOf({ was, is, cause }: Change): readonly string[] {
  // The operator denies addresses and masks headers beyond the file, as it does for every gateway.
  if (was === undefined) return is?.kind === 'set member' ? [] : ['is added']
  if (is === undefined) return ['is left out']
  if (was.kind === 'held path') return is.isHidden === true ? [] : ['its callers got 404, now they are served']
  if (is.kind === 'held path')
    return [`it only holds its path, its callers get 404${cause === undefined ? '' : ` (${cause})`}`]
  const parts = [...new Set([...Object.keys(was.parts), ...Object.keys(is.parts)])]
  return [
    ...(was.isHidden === is.isHidden ? [] : [`callers: ${callersOf(was)} → ${callersOf(is)}`]),
    ...parts.filter((part) => was.parts[part] !== is.parts[part]).map((part) => partDifference(part, was, is)),
  ]
}

function callersOf({ isHidden }: Trait): string {
  return isHidden === true ? 'get 404' : 'are served'
}

function partDifference(part: string, was: Trait, is: Trait): string {
  if (is.kind === 'router') return `${part} differs`
  return `${is.kind === 'setting' ? '' : `${part}: `}${shown(was.parts[part])} → ${shown(is.parts[part])}`
}

function shown(value: string | undefined): string {
  return value === undefined || value === '' ? 'nothing' : value
}

import { isReservedName, namesIn } from './env-reference.ts'
import { isObject } from './json-object.ts'
import type { ValidationErrors } from './types.ts'

/**
 * The places in the processors of a gl_config.json that refer to NATS_TOKEN or GUI_SECRET. Processors must not get either
 * (docs/reference/configuration-rules.md#references).
 */
export function reservedReferences(settings: unknown, root: string): ValidationErrors {
  if (!isObject(settings)) return {}
  const phases = ['request', 'response'].filter((phase) => Object.hasOwn(settings, phase))
  const found = phases.flatMap((phase) => [...reservedIn(settings[phase], `${root}.${phase}`)])
  return Object.fromEntries(found.map((path) => [path, 'reserved:']))
}

function* reservedIn(value: unknown, at: string): Generator<string> {
  if (typeof value === 'string') {
    if (namesIn(value).some(isReservedName)) yield at
  } else if (Array.isArray(value)) {
    for (const [i, entry] of value.entries()) yield* reservedIn(entry, `${at}[${i}]`)
  } else if (isObject(value)) {
    for (const [key, entry] of Object.entries(value)) yield* reservedIn(entry, `${at}.${key}`)
  }
}

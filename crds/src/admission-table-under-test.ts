import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import type { Candidate } from './admission-under-test.ts'

/** A row of crds/testdata: an object, and the API server's answer to it. */
export type AdmissionRow = {
  readonly what: string
  readonly candidate: Candidate
  /** The object's previous spec; undefined: the object is new. */
  readonly was: object | undefined
  /** "": the object is accepted. */
  readonly error: string
}

const folder = join(import.meta.dirname, '../testdata')

/** Returns every row of every table. */
export function admissionRows(): readonly AdmissionRow[] {
  return readdirSync(folder).flatMap((file) => rowsOf(parse(readFileSync(join(folder, file), 'utf8'))))
}

type Given = ReturnType<typeof parse>

function rowsOf({ kind, base, good, bad }: Given): readonly AdmissionRow[] {
  const rows: readonly Given[] = [...good, ...bad]
  return rows.map(({ what, name = 'a', spec, was, error = '' }) => ({
    what: `${kind}: ${what}`,
    candidate: { kind, plural: `${kind.toLowerCase()}s`, name, spec: merged(base, spec) },
    was: was === undefined ? undefined : merged(base, was),
    error,
  }))
}

/** Merges by RFC 7386. */
function merged(target: Given, patch: Given): Given {
  if (!isMap(patch)) return patch
  const result = new Map<string, Given>(isMap(target) ? Object.entries(target) : [])
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) result.delete(key)
    else result.set(key, merged(result.get(key), value))
  }
  return Object.fromEntries(result)
}

function isMap(value: Given): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

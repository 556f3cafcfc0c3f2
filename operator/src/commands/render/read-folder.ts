import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { parseFile } from './parse-file.ts'
import type { Placed } from './resources.ts'

export type ReadFolder =
  | { readonly kind: 'read'; readonly objects: readonly Placed[] }
  | { readonly kind: 'broken'; readonly errors: readonly string[] }

const RESOURCE_FILE = /\.(ya?ml|json)$/

/** Every resource in the YAML and JSON files of a folder and those below; hidden ones and what was rendered are left out. */
export function readFolder(folder: string, rendered: string | undefined): ReadFolder {
  const files = filesOf(folder, rendered)
  if (files === undefined) return { kind: 'broken', errors: [`${folder}: no such folder`] }
  if (files.length === 0) return { kind: 'broken', errors: [`${folder}: holds no .yaml, .yml or .json file`] }
  const parsed = files.map((file) => ({ file, ...parseFile(file, readFileSync(join(folder, file), 'utf8')) }))
  const errors = parsed.flatMap((one) => (one.kind === 'broken' ? one.errors : []))
  if (errors.length > 0) return { kind: 'broken', errors }
  return {
    kind: 'read',
    objects: parsed.flatMap((one) =>
      one.kind === 'objects' ? one.objects.map((object) => ({ file: one.file, object })) : [],
    ),
  }
}

/** Sorted, so that nothing depends on the file system. */
function filesOf(folder: string, rendered: string | undefined): readonly string[] | undefined {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return undefined
  const left = rendered === undefined ? undefined : relative(resolve(folder), resolve(rendered))
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => RESOURCE_FILE.test(file) && !file.split(sep).some((part) => part.startsWith('.')))
    .filter((file) => left === undefined || !file.startsWith(`${left}${sep}`))
    .filter((file) => statSync(join(folder, file)).isFile())
    .toSorted()
}

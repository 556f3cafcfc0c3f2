import { readdirSync, realpathSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { failureOf } from '../../failure-of.ts'

export type ResourceFiles = { readonly files: readonly string[]; readonly errors: readonly string[] }

const RESOURCE_FILE = /\.(ya?ml|json)$/

/**
 * YAML and JSON files of a folder and those below, sorted, so that nothing depends on the file system; hidden ones and what
 * was rendered are left out.
 */
export function resourceFiles(folder: string, rendered: string | undefined): ResourceFiles {
  const left = rendered === undefined ? undefined : relative(resolve(folder), resolve(rendered))
  const found = [...walk(folder, '', { left, above: [] })]
  return {
    files: found.flatMap((one) => ('file' in one ? [one.file] : [])).toSorted(),
    errors: found.flatMap((one) => ('error' in one ? [one.error] : [])).toSorted(),
  }
}

type Found = { readonly file: string } | { readonly error: string }
type Around = { readonly left: string | undefined; readonly above: readonly string[] }

function* walk(root: string, below: string, { left, above }: Around): Generator<Found> {
  try {
    const real = realpathSync(join(root, below))
    if (above.includes(real)) yield { error: `${below}: is a link to a folder that it lies in` }
    else {
      for (const name of readdirSync(real)) {
        const path = join(below, name)
        if (!name.startsWith('.') && path !== left) yield* look(root, path, { left, above: [...above, real] })
      }
    }
  } catch (error) {
    yield { error: unreadable(below || root, error) }
  }
}

function* look(root: string, path: string, around: Around): Generator<Found> {
  try {
    const stats = statSync(join(root, path))
    if (stats.isDirectory()) yield* walk(root, path, around)
    else if (stats.isFile() && RESOURCE_FILE.test(path)) yield { file: path }
  } catch (error) {
    if (RESOURCE_FILE.test(path)) yield { error: unreadable(path, error) }
  }
}

/** Said with the system's code; anything else is a bug of ours. */
export function unreadable(name: string, error: unknown): string {
  if (!(error instanceof Error && 'code' in error)) throw error
  return `${name}: can not be read (${failureOf(error).code})`
}

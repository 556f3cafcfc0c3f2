import { readdirSync, realpathSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { failureOf } from '../../failure-of.ts'

export type ResourceFiles = { readonly files: readonly string[]; readonly errors: readonly string[] }

const RESOURCE_FILE = /\.(ya?ml|json)$/

/**
 * Lists the YAML and JSON files of a folder and of the folders below it. They are sorted, so that nothing depends on
 * the file system. Hidden files and the rendered output are left out.
 */
export function resourceFiles(folder: string, rendered: string | undefined): ResourceFiles {
  const skipped = rendered === undefined ? undefined : relative(resolve(folder), resolve(rendered))
  const found = [...walk(folder, '', { skipped, parents: [] })]
  return {
    files: found.flatMap((entry) => ('file' in entry ? [entry.file] : [])).toSorted(),
    errors: found.flatMap((entry) => ('error' in entry ? [entry.error] : [])).toSorted(),
  }
}

type WalkedFile = { readonly file: string } | { readonly error: string }
type WalkContext = { readonly skipped: string | undefined; readonly parents: readonly string[] }

function* walk(root: string, below: string, { skipped, parents }: WalkContext): Generator<WalkedFile> {
  try {
    const real = realpathSync(join(root, below))
    if (parents.includes(real)) yield { error: `${below}: is a link to a folder that it lies in` }
    else {
      for (const name of readdirSync(real)) {
        const path = join(below, name)
        if (!name.startsWith('.') && path !== skipped)
          yield* visit(root, path, { skipped, parents: [...parents, real] })
      }
    }
  } catch (error) {
    yield { error: unreadable(below || root, error) }
  }
}

function* visit(root: string, path: string, context: WalkContext): Generator<WalkedFile> {
  try {
    const stats = statSync(join(root, path))
    if (stats.isDirectory()) yield* walk(root, path, context)
    else if (stats.isFile() && RESOURCE_FILE.test(path)) yield { file: path }
  } catch (error) {
    if (RESOURCE_FILE.test(path)) yield { error: unreadable(path, error) }
  }
}

/** Names an unreadable file with the system's code. Other errors are bugs and are thrown. */
export function unreadable(name: string, error: unknown): string {
  if (!(error instanceof Error && 'code' in error)) throw error
  return `${name}: can not be read (${failureOf(error).code})`
}

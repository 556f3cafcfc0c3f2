import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Recipe } from './recipes.ts'

/** The files of one built program and of its build, below `.tools/kubernetes/<version>`. */
export type ProgramFiles = {
  readonly program: string
  /** Holds the recipe's fingerprint; a changed recipe is built again. */
  readonly stamp: string
  readonly source: string
  readonly build: string
  readonly log: string
}

/** Returns the folder of one Kubernetes version. */
export function clusterFolder(root: string, kubernetes: string): string {
  return join(root, '.tools/kubernetes', kubernetes)
}

export function programFiles(folder: string, name: Recipe['name']): ProgramFiles {
  return {
    program: join(folder, 'bin', name),
    stamp: join(folder, 'bin', `.${name}.recipe`),
    source: join(import.meta.dirname, name, 'main.go'),
    build: join(folder, 'build', name),
    log: join(folder, 'log', `build-${name}.log`),
  }
}

/** Returns a hash that changes when a build of the recipe could give another program. */
export function fingerprint(recipe: Recipe, files: ProgramFiles): string {
  const hash = createHash('sha256')
  const source = recipe.package ?? readFileSync(files.source)
  for (const part of [recipe.module, recipe.linker, source]) hash.update(part).update('\0')
  return hash.digest('hex')
}

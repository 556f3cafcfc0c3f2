import { existsSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'

/** A program with its arguments. */
export type Command = { readonly program: string; readonly args: readonly string[] }

export type ProgramFolders = {
  /** The Node that runs programs ending in .ts or .js. */
  readonly node: string
  /** The folders of relative files, in the order of the search. */
  readonly folders: readonly string[]
}

/**
 * Returns the command of a `file` in ginit_config.json: a .ts or .js program run by Node, a path, or a bare name
 * resolved by PATH.
 */
export function findCommand(file: string, args: readonly string[], places: ProgramFolders): Command {
  if (!file.includes('/')) return { program: file, args }
  const path = isAbsolute(file) ? file : locate(file, places.folders)
  return /\.[jt]s$/.test(file) ? { program: places.node, args: [path, ...args] } : { program: path, args }
}

function locate(file: string, folders: readonly string[]): string {
  const paths = folders.map((folder) => join(folder, file))
  return paths.find((path) => existsSync(path)) ?? paths.at(-1) ?? file
}

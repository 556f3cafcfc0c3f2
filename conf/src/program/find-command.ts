import { existsSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'

/** A program with its arguments. */
export type Command = { readonly program: string; readonly args: readonly string[] }

export type ProgramPlaces = {
  /** The Node that runs programs ending in .ts or .js. */
  readonly node: string
  /** Folders that a relative file is looked for in, first one first. */
  readonly folders: readonly string[]
}

/** The command of a `file` of ginit_config.json: a .ts or .js program run by Node, a path, or a bare name that PATH resolves. */
export function findCommand(file: string, args: readonly string[], places: ProgramPlaces): Command {
  if (!file.includes('/')) return { program: file, args }
  const path = isAbsolute(file) ? file : locate(file, places.folders)
  return /\.[jt]s$/.test(file) ? { program: places.node, args: [path, ...args] } : { program: path, args }
}

function locate(file: string, folders: readonly string[]): string {
  const paths = folders.map((folder) => join(folder, file))
  return paths.find((path) => existsSync(path)) ?? paths.at(-1) ?? file
}

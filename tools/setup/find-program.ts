import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Finds a program on a search path, without the folders in `except`; undefined when there is none. */
export function findProgram(name: string, searchPath: string, except: readonly string[] = []): string | undefined {
  return searchPath
    .split(delimiter)
    .filter((folder) => folder !== '' && !except.includes(folder))
    .map((folder) => join(folder, name))
    .find(isProgram)
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch (error) {
    if (error instanceof Error) return false
    throw error
  }
}

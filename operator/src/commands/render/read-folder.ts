import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type ParsedFile, parseFile } from './parse-file.ts'
import { resourceFiles, unreadable } from './resource-files.ts'
import type { FileObject } from './resources.ts'

export type ReadFolder =
  | { readonly kind: 'read'; readonly objects: readonly FileObject[] }
  | { readonly kind: 'broken'; readonly errors: readonly string[] }

/**
 * Reads every resource in the YAML and JSON files of a folder and those below it. Hidden files and the rendered output
 * are left out.
 */
export function readFolder(folder: string, rendered: string | undefined): ReadFolder {
  if (!isFolder(folder)) return { kind: 'broken', errors: [`${folder}: no such folder`] }
  const { files, errors: unread } = resourceFiles(folder, rendered)
  if (unread.length > 0) return { kind: 'broken', errors: unread }
  if (files.length === 0) return { kind: 'broken', errors: [`${folder}: holds no .yaml, .yml or .json file`] }
  const all = files.map((file) => ({ file, ...parsed(folder, file) }))
  const errors = all.flatMap((read) => (read.kind === 'broken' ? read.errors : []))
  if (errors.length > 0) return { kind: 'broken', errors }
  return {
    kind: 'read',
    objects: all.flatMap((read) =>
      read.kind === 'objects' ? read.objects.map((object) => ({ file: read.file, object })) : [],
    ),
  }
}

function parsed(folder: string, file: string): ParsedFile {
  try {
    return parseFile(file, readFileSync(join(folder, file), 'utf8'))
  } catch (error) {
    return { kind: 'broken', errors: [unreadable(file, error)] }
  }
}

/** Returns false for a dangling link, too. */
function isFolder(folder: string): boolean {
  try {
    return statSync(folder).isDirectory()
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false
    throw error
  }
}

import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

export const ROOT = join(import.meta.dirname, '../..')

export type Import = {
  /** The specifier as written in the source. */
  readonly specifier: string
  /** Path from the root for a relative import. */
  readonly file: string | undefined
  /** True for `import type` and `export type`, which Node erases. */
  readonly isType: boolean
  /** True for `import()`, which loads the file only when the call is reached. */
  readonly isDynamic: boolean
}

export type SourceFile = {
  /** Path from the root, with slashes. */
  readonly path: string
  readonly text: string
  readonly lines: number
  readonly imports: readonly Import[]
}

const IGNORED = ['node_modules', '.tools', '.run', '.git']
const STATEMENT = /^(?:import|export)\s(type\s+[{*])?(?:[^'"`;]*?\sfrom\s+)?(['"])([^'"\n]+)\2/gm
const DYNAMIC = /\bimport\(\s*(['"])([^'"\n]+)\1\s*\)/g

/** Reads every TypeScript file of the work tree by walking through it. */
export function readSourceFiles(): readonly SourceFile[] {
  const paths = globSync('**/*.ts', { cwd: ROOT, exclude: (path) => IGNORED.includes(path.split('/').at(-1) ?? '') })
  return paths
    .map((path) => path.replaceAll('\\', '/'))
    .sort()
    .map((path) => parse(path, readFileSync(join(ROOT, path), 'utf8')))
}

/** Returns git's paths, to check that the walk missed none. */
export function trackedPaths(): readonly string[] {
  const list = execFileSync('git', ['ls-files', '-z', '--', '*.ts'], { cwd: ROOT, encoding: 'utf8' })
  const deleted = execFileSync('git', ['ls-files', '-z', '--deleted', '--', '*.ts'], { cwd: ROOT, encoding: 'utf8' })
  const gone = new Set(deleted.split('\0'))
  return list.split('\0').filter((path) => path !== '' && !gone.has(path))
}

/** Returns the folders with a package.json, from the root. */
export function packageFolders(): readonly string[] {
  const files = globSync('**/package.json', {
    cwd: ROOT,
    exclude: (path) => IGNORED.includes(path.split('/').at(-1) ?? ''),
  })
  return files
    .map((file) => dirname(file))
    .filter((folder) => folder !== '.')
    .sort()
}

export function parse(path: string, text: string): SourceFile {
  const imports = [...text.matchAll(STATEMENT)].map(([, type, , specifier = '']) => ({
    specifier,
    file: resolved(path, specifier),
    isType: type !== undefined,
    isDynamic: false,
  }))
  const dynamic = [...text.matchAll(DYNAMIC)].map(([, , specifier = '']) => ({
    specifier,
    file: resolved(path, specifier),
    isType: false,
    isDynamic: true,
  }))
  return {
    path,
    text,
    lines: text.split('\n').length - (text.endsWith('\n') ? 1 : 0),
    imports: [...imports, ...dynamic],
  }
}

function resolved(path: string, specifier: string): string | undefined {
  return specifier.startsWith('.') ? normalize(join(dirname(path), specifier)) : undefined
}

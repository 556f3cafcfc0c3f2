import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')
const NAME = '[A-Z][A-Z0-9]*_[A-Z0-9_]*[A-Z0-9]|LAMBDA|THRESHOLD|https?_proxy|no_proxy'
const EACH = new RegExp(`(?:^|[\\s,{])(${NAME})\\b`, 'g')
/** The ways in which programs read a variable: a member, a pattern, the type of a parameter, a processor's table. */
const READ: readonly RegExp[] = [
  new RegExp(`\\b(?:environment|env|variables)\\??\\.(?:${NAME})\\b`, 'g'),
  /\{[^{}]*\}(?::\s*\w+)?\s*=\s*(?:process\.env|environment|env|variables)\b/g,
  /\{[^{}()]*\}:\s*(?:Environment|NodeJS\.ProcessEnv)\b/g,
  /readonly [A-Z][A-Z0-9_]+\??: string/g,
  /\bvariables: (?:Readonly<Record<string, string>> = )?\{[^{}]*\}/g,
  /\bFILLED = \[[^\]]*\]/g,
  /\{ BUS_LEAF_URL:[^}]*\}/g,
]
const PROGRAMS = ['{gateway,operator,processors,conf}/**/src/**/*.ts', 'operator/src/**/*.ts', 'conf/src/**/*.ts']
const REFERENCE = new RegExp(`\\$\\{?(${NAME})\\b`, 'g')

/** Finds the environment variables that programs read or shipped files refer to, each with its files. */
export function readVariables(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, Set<string>>()
  const add = (name: string, file: string): void => {
    found.set(name, (found.get(name) ?? new Set()).add(file))
  }
  for (const { file, text } of programSources(PROGRAMS)) {
    for (const [piece] of READ.flatMap((pattern) => [...text.matchAll(pattern)])) {
      for (const [, name = ''] of piece.replaceAll('.', ' ').replaceAll(/['[]/g, ' ').matchAll(EACH)) add(name, file)
    }
  }
  for (const file of globSync('conf/{,examples/processors/}*.{json,conf}', { cwd: ROOT }).map(String).sort()) {
    if (file.endsWith('.schema.json')) continue
    for (const [, name = ''] of readFileSync(join(ROOT, file), 'utf8').matchAll(REFERENCE)) add(name, file)
  }
  return new Map([...found].map(([name, files]) => [name, [...files].sort()]))
}

/** Reads the sources of programs, without tests and their support. */
export function programSources(
  patterns: readonly string[],
): readonly { readonly file: string; readonly text: string }[] {
  const files = [...new Set(globSync([...patterns], { cwd: ROOT }).map(String))].sort()
  return files
    .filter((file) => !/\.test\.ts$|-under-test\.ts$|\/node_modules\/|\/fixture\/|^gateway\/gui\/web\//.test(file))
    .map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }))
}

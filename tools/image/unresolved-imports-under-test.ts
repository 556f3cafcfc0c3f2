// Runs inside the image, by itself: prints what the programs import and can't find there, one line each.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** Imports that run: those of types are gone by then. */
const IMPORTS =
  /^(?:import|export)\s+(?!type\b)(?:[^'";]*?\sfrom\s+)?'([^']+)'|\bimport\('([^']+)'\)|new URL\('(\.[^']+)'/gm

let seen = 0
for (const path of readdirSync('/app', { recursive: true, encoding: 'utf8' })) {
  if (!path.endsWith('.ts') || path.startsWith('node_modules/')) continue
  const file = join('/app', path)
  for (const [, ...found] of readFileSync(file, 'utf8').matchAll(IMPORTS)) {
    const wanted = found.find((text) => text !== undefined) ?? ''
    seen += 1
    if (!isThere(wanted, file)) console.log(`unresolved: ${wanted} in ${path}`)
  }
}
console.log(`seen: ${seen}`)

function isThere(wanted: string, file: string): boolean {
  try {
    const url = import.meta.resolve(wanted, pathToFileURL(file))
    return url.startsWith('node:') || existsSync(fileURLToPath(url))
  } catch {
    return false
  }
}
